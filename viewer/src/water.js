// How the liquid is drawn, in four passes over its mesh and one over the picture:
//   opaque things into `scene` (colour and depth); the liquid's layers into `layers`, added up: how far the
//   eye looks through liquid (back faces' depth less front faces'), and how much they shine at grazing angles;
//   its nearest face into `front` (normal); then one picture of them: what is behind, bent by the normal and
//   dimmed by the way through liquid, the sky mirrored, and every layer's rim, so that bubbles are seen within.
import * as THREE from "three";

const vertexOfMesh = /* glsl */ `
  varying vec3 vNormal;
  varying vec3 vView;
  void main() {
    vec4 p = modelViewMatrix * vec4(position, 1.0);
    vView = p.xyz;
    vNormal = normalMatrix * normal;
    gl_Position = projectionMatrix * p;
  }`;

// The depth of what is opaque at this pixel, in metres before the camera.
const sceneDepth = /* glsl */ `
  uniform sampler2D uDepth;
  uniform vec2 uSize;
  uniform float uNear, uFar;
  float opaqueDepth(vec2 pixel) {
    float d = texture2D(uDepth, pixel / uSize).x;
    return uNear * uFar / (uFar - d * (uFar - uNear));
  }`;

const sky = /* glsl */ `
  uniform vec3 uSkyHigh, uSkyLow;
  uniform float uLamp;
  vec3 skyColor(vec3 d) {
    float up = d.y * 0.5 + 0.5;
    vec3 c = mix(uSkyLow, uSkyHigh, smoothstep(0.25, 0.85, up));
    // A wide window and a narrow one.
    vec2 q = d.xz / max(d.y, 0.05);
    float window = smoothstep(1.15, 1.0, abs(q.x - 0.9)) * smoothstep(0.85, 0.7, abs(q.y - 0.6)) * step(0.0, d.y);
    float strip = smoothstep(0.16, 0.1, abs(q.x + 1.5)) * smoothstep(2.2, 1.8, abs(q.y)) * step(0.0, d.y);
    return c + uLamp * (0.9 * window + 0.6 * strip);
  }`;

export class Water {
  constructor() {
    this.shared = {
      uDepth: { value: null }, uSize: { value: new THREE.Vector2(1, 1) }, uNear: { value: 0.1 }, uFar: { value: 10 },
      uSkyHigh: { value: new THREE.Color() }, uSkyLow: { value: new THREE.Color() }, uLamp: { value: 1 },
      uMiddle: { value: 1 }, uReach: { value: 1 },
    };
    const u = this.shared;
    this.layersMaterial = new THREE.ShaderMaterial({
      uniforms: u, vertexShader: vertexOfMesh, side: THREE.DoubleSide, depthTest: false, depthWrite: false,
      blending: THREE.CustomBlending, blendEquation: THREE.AddEquation, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor,
      fragmentShader: /* glsl */ `
        varying vec3 vNormal; varying vec3 vView;
        uniform float uMiddle, uReach;
        ${sceneDepth}
        void main() {
          float z = -vView.z, far = opaqueDepth(gl_FragCoord.xy);
          float way = length(vView) / z;
          float depth = (min(z, far) - uMiddle) / uReach;
          float facing = abs(dot(normalize(vNormal), normalize(vView)));
          float rim = z < far ? pow(1.0 - facing, 2.6) : 0.0;
          gl_FragColor = vec4((gl_FrontFacing ? -depth : depth) * way, rim, gl_FrontFacing ? 1.0 : -1.0, 1.0);
        }`,
    });
    this.frontMaterial = new THREE.ShaderMaterial({
      uniforms: u, vertexShader: vertexOfMesh, side: THREE.FrontSide,
      fragmentShader: /* glsl */ `
        varying vec3 vNormal; varying vec3 vView;
        ${sceneDepth}
        void main() {
          if (-vView.z > opaqueDepth(gl_FragCoord.xy)) discard;
          gl_FragColor = vec4(normalize(vNormal), 1.0);
        }`,
    });
    this.finish = new THREE.ShaderMaterial({
      uniforms: {
        ...u, uScene: { value: null }, uLayers: { value: null }, uFront: { value: null },
        uInverse: { value: new THREE.Matrix4() }, uTurn: { value: new THREE.Matrix3() },
        uAbsorb: { value: new THREE.Vector3() }, uGlow: { value: new THREE.Color() }, uRim: { value: new THREE.Color() },
        uLight: { value: new THREE.Vector3(0.4, 0.8, 0.45).normalize() },
      },
      depthTest: false, depthWrite: false,
      vertexShader: /* glsl */ `varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }`,
      fragmentShader: /* glsl */ `
        varying vec2 vUv;
        uniform sampler2D uScene, uLayers, uFront, uDepth;
        uniform mat4 uInverse; uniform mat3 uTurn;
        uniform vec3 uAbsorb, uGlow, uRim, uLight;
        uniform float uReach;
        ${sky}
        void main() {
          vec4 behind = texture2D(uScene, vUv);
          vec4 front = texture2D(uFront, vUv);
          if (front.a < 0.01) { gl_FragColor = behind; }
          else {
            vec3 n = normalize(front.xyz / front.a);
            vec4 q = uInverse * vec4(vUv * 2.0 - 1.0, 1.0, 1.0);
            vec3 view = normalize(q.xyz / q.w);           // from the eye
            vec4 layers = texture2D(uLayers, vUv);
            float way = max(layers.r, 0.0) * uReach;
            vec2 bend = -n.xy * 0.05 * (1.0 - exp(-6.0 * way / uReach));
            vec2 there = clamp(vUv + bend, 0.0, 1.0);
            vec4 bent = texture2D(uScene, there);
            // A thing that is seen there has its own way through liquid; else it would leave its shadow behind.
            bool thing = min(texture2D(uDepth, there).x, texture2D(uDepth, vUv).x) < 1.0;
            if (thing && texture2D(uFront, there).a > 0.99) way = max(texture2D(uLayers, there).r, 0.0) * uReach;
            vec3 through = exp(-uAbsorb * way / uReach);
            vec3 color = bent.rgb * through + uGlow * (1.0 - through.g);
            float facing = clamp(dot(n, -view), 0.0, 1.0);
            float mirror = 0.02 + 0.75 * pow(1.0 - facing, 4.0);
            vec3 d = uTurn * reflect(view, n);
            color = mix(color, skyColor(d), mirror);
            float own = pow(1.0 - facing, 2.6);
            color += uRim * clamp(layers.g - own, 0.0, 2.0);
            color += uLamp * 0.9 * pow(max(dot(d, uLight), 0.0), 220.0);
            gl_FragColor = mix(behind, vec4(color, 1.0), front.a);
          }
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
    });
    // Glass and the shells of bubbles: clear face on, bright at the rim.
    this.clear = (options) =>
      new THREE.ShaderMaterial({
        uniforms: { ...u, uTint: { value: new THREE.Color(options.color) }, uFace: { value: options.face }, uEdge: { value: options.edge }, uTurn: { value: this.finish.uniforms.uTurn.value }, uMirror: { value: options.mirror ?? 0 } },
        vertexShader: vertexOfMesh, side: options.side ?? THREE.DoubleSide, transparent: true, depthTest: false, depthWrite: false,
        fragmentShader: /* glsl */ `
          varying vec3 vNormal; varying vec3 vView;
          uniform vec3 uTint; uniform float uFace, uEdge, uMirror; uniform mat3 uTurn;
          ${sceneDepth}
          ${sky}
          void main() {
            if (-vView.z > opaqueDepth(gl_FragCoord.xy) + 1e-4) discard;
            vec3 n = normalize(vNormal), v = normalize(vView);
            if (dot(n, v) > 0.0) n = -n;
            float edge = pow(1.0 - abs(dot(n, v)), 2.2);
            vec3 shine = skyColor(uTurn * reflect(v, n));
            vec3 color = mix(uTint, shine, uMirror);
            gl_FragColor = vec4(color, clamp(uFace + uEdge * edge, 0.0, 1.0));
            #include <tonemapping_fragment>
            #include <colorspace_fragment>
          }`,
      });
  }

  setTheme(dark) {
    const f = this.finish.uniforms;
    this.shared.uSkyHigh.value.set(dark ? "#31566a" : "#ffffff");
    this.shared.uSkyLow.value.set(dark ? "#060b0e" : "#b9ccd6");
    this.shared.uLamp.value = dark ? 0.75 : 0.9;
    f.uAbsorb.value.set(...(dark ? [3.4, 1.0, 0.62] : [2.7, 0.95, 0.62]));
    f.uGlow.value.set(dark ? "#0d5b78" : "#3e96b4");
    f.uRim.value.set(dark ? "#2f6f86" : "#5c93a8");
    if (!dark) f.uRim.value.multiplyScalar(0.55);
  }
}
