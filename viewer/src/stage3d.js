// The view of a 3D run. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { bodyColor, bubbleColor, isDark, speedColor } from "./colors.js";
import { Water } from "./water.js";

function geometryOf(mesh, index = mesh.triangles) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
  if (mesh.normals) geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  if (!mesh.normals) geometry.computeVertexNormals();
  return geometry;
}

export class Stage3D {
  constructor(canvas, onMove) {
    this.canvas = canvas;
    this.moved = onMove;
    this.layers = { bubbles: true, solids: true, grid: true };
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.water = new Water();
    this.solid = new THREE.Scene();   // opaque
    this.liquid = new THREE.Scene();  // the mesh of the liquid
    this.clear = new THREE.Scene();   // glass and shells of bubbles, over the picture
    this.screen = new THREE.Scene();
    this.screen.add(new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.water.finish));
    this.screen.children[0].frustumCulled = false;
    this.flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    const half = { type: THREE.HalfFloatType, generateMipmaps: false };
    this.sceneTarget = new THREE.WebGLRenderTarget(1, 1, { ...half, samples: 4, depthTexture: new THREE.DepthTexture(1, 1) });
    this.layersTarget = new THREE.WebGLRenderTarget(1, 1, { ...half, depthBuffer: false });
    this.frontTarget = new THREE.WebGLRenderTarget(1, 1, { ...half, samples: 4 });
    this.lights();
    this.makeBackground();
    this.solids = [];
    this.ground = new THREE.Group();
    this.solid.add(this.ground);
    this.points = new THREE.Points(new THREE.BufferGeometry(), this.pointsMaterial());
    this.points.frustumCulled = false;
    this.points.visible = false;
    this.solid.add(this.points);
    this.body = new THREE.Mesh(new THREE.BufferGeometry(), this.water.frontMaterial);
    this.body.frustumCulled = false;
    this.liquid.add(this.body);
    this.shells = new THREE.Group();
    this.shells.renderOrder = 1;
    this.clear.add(this.shells);
    this.content = {};
    this.drawn = 0;
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  lights() {
    this.hemisphere = new THREE.HemisphereLight(0xffffff, 0x8899aa, 1.6);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.0);
    this.sun.position.set(0.4, 0.8, 0.45);
    this.solid.add(this.hemisphere, this.sun);
  }

  // A wall of light behind everything: clear things need something to be seen through.
  makeBackground() {
    this.background = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        depthTest: false, depthWrite: false, uniforms: { uHigh: { value: new THREE.Color() }, uLow: { value: new THREE.Color() } },
        vertexShader: /* glsl */ `varying vec2 vUv; void main() { vUv = uv; gl_Position = vec4(position.xy, 1.0, 1.0); }`,
        fragmentShader: /* glsl */ `
          varying vec2 vUv; uniform vec3 uHigh, uLow;
          void main() {
            float away = length((vUv - vec2(0.5, 0.68)) * vec2(1.0, 1.15));
            float grain = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;
            gl_FragColor = vec4(mix(uHigh, uLow, smoothstep(0.0, 0.85, away)) + grain / 400.0, 1.0);
          }`,
      }));
    this.background.frustumCulled = false;
    this.background.renderOrder = -1;
    this.solid.add(this.background);
  }

  pointsMaterial() {
    return new THREE.ShaderMaterial({
      uniforms: { uSide: { value: 1 }, uScale: { value: 1 } },
      vertexShader: /* glsl */ `
        attribute vec3 color; varying vec3 vColor; uniform float uSide, uScale;
        void main() {
          vec4 p = modelViewMatrix * vec4(position, 1.0);
          vColor = color;
          gl_Position = projectionMatrix * p;
          gl_PointSize = clamp(uSide * uScale / -p.z, 1.5, 64.0);
        }`,
      fragmentShader: /* glsl */ `
        varying vec3 vColor;
        void main() {
          vec2 q = gl_PointCoord * 2.0 - 1.0;
          float r = dot(q, q);
          if (r > 1.0) discard;
          float shade = 0.45 + 0.55 * clamp(dot(vec3(q.x, -q.y, sqrt(1.0 - r)), normalize(vec3(0.3, 0.7, 0.65))), 0.0, 1.0);
          gl_FragColor = vec4(vColor * vColor * shade, 1.0);
        }`,
    });
  }

  setScene(scene) {
    const size = new THREE.Vector3(...scene.grid.size), before = JSON.stringify(this.home);
    this.size = size;
    this.reach = size.length() / 2;
    this.middle = size.clone().multiplyScalar(0.5);
    const camera = scene.camera ?? {};
    const given = Array.isArray(camera.from) && Array.isArray(camera.at) && camera.from.some((v, n) => v !== camera.at[n]);
    this.home = given
      ? { from: camera.from, at: camera.at, view: camera.field_of_view ?? 35 }
      : { from: this.middle.clone().add(new THREE.Vector3(0.9, 0.55, 2.1).multiplyScalar(1.35 * this.reach)).toArray(), at: this.middle.toArray(), view: 35 };
    this.makeGround();
    if (before !== JSON.stringify(this.home)) this.resetView();
  }

  resetView() {
    this.placed = this.canvas.clientWidth > 0;  // a hidden canvas has no shape yet: when it is drawn, then
    if (!this.home || !this.placed) return;
    this.camera.position.set(...this.home.from);
    this.controls.target.set(...this.home.at);
    this.camera.fov = this.home.view;
    // The camera was made for pictures of another shape: stand back until the domain fits.
    const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
    const tan = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, aspect);
    const away = this.camera.position.clone().sub(this.controls.target);
    const needed = (1.02 * Math.max(this.size.y / 2, 0.55 * Math.hypot(this.size.x, this.size.z))) / tan + 0.3 * this.reach;
    if (away.length() < needed) this.camera.position.copy(this.controls.target).add(away.setLength(needed));
    this.controls.update();
    this.draw();
  }

  makeGround() {
    this.ground.clear();
    const box = new THREE.LineSegments(
      new THREE.EdgesGeometry(new THREE.BoxGeometry(this.size.x, this.size.y, this.size.z)),
      new THREE.LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }));
    box.position.copy(this.middle);
    this.box = box.material;
    const cell = 10 ** Math.round(Math.log10(this.reach / 8)) ;
    this.floor = new THREE.ShaderMaterial({
      transparent: true, depthWrite: false, side: THREE.DoubleSide,
      uniforms: { uCell: { value: cell }, uCenter: { value: new THREE.Vector2(this.middle.x, this.middle.z) }, uReach: { value: this.reach * 3.2 }, uLine: { value: new THREE.Color() }, uShade: { value: new THREE.Color() }, uBox: { value: new THREE.Vector2(this.size.x, this.size.z) } },
      vertexShader: /* glsl */ `varying vec2 vAt; void main() { vec4 p = modelMatrix * vec4(position, 1.0); vAt = p.xz; gl_Position = projectionMatrix * viewMatrix * p; }`,
      fragmentShader: /* glsl */ `
        varying vec2 vAt; uniform float uCell, uReach; uniform vec2 uCenter, uBox; uniform vec3 uLine, uShade;
        float lines(vec2 p, float cell) {
          vec2 q = p / cell, w = fwidth(q), d = abs(fract(q - 0.5) - 0.5) / max(w, 1e-5);
          return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(w.x, w.y)));
        }
        void main() {
          float away = length(vAt - uCenter) / uReach, fade = 1.0 - smoothstep(0.25, 1.0, away);
          float line = 0.35 * lines(vAt, uCell) + 0.5 * lines(vAt, 5.0 * uCell);
          vec2 out_ = max(abs(vAt - uCenter) - 0.5 * uBox, 0.0);
          float shade = 0.30 * exp(-5.0 * length(out_) / length(uBox));
          gl_FragColor = vec4(mix(uShade, uLine, line / max(line + shade, 1e-4)), fade * min(line + shade, 1.0));
        }`,
    });
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.floor);
    floor.rotation.x = -Math.PI / 2;
    floor.scale.setScalar(this.reach * 3.4);
    floor.position.set(this.middle.x, -0.002 * this.reach, this.middle.z);
    this.ground.add(floor, box);
    this.setTheme();
  }

  setTheme() {
    const dark = isDark();
    this.water.setTheme(dark);
    this.background.material.uniforms.uHigh.value.set(dark ? "#243641" : "#fbfdfd");
    this.background.material.uniforms.uLow.value.set(dark ? "#0b1115" : "#d3dfe5");
    this.hemisphere.intensity = dark ? 0.9 : 1.7;
    this.hemisphere.color.set(dark ? "#b9d9e6" : "#ffffff");
    this.hemisphere.groundColor.set(dark ? "#1b2a31" : "#9fb1ba");
    this.sun.intensity = dark ? 1.5 : 2.0;
    if (this.box) this.box.color.set(dark ? "#6b8796" : "#7d95a1");
    if (this.floor) {
      this.floor.uniforms.uLine.value.set(dark ? "#34505e" : "#9db2bc");
      this.floor.uniforms.uShade.value.set(dark ? "#000000" : "#5a7480");
    }
    for (const s of this.solids) s.paint?.();
    this.draw();
  }

  // [{name, look, mesh, moves}]
  setSolids(solids) {
    for (const s of this.solids) s.object.removeFromParent(), s.object.geometry.dispose();
    this.solids = solids.filter((s) => s.mesh.triangles).map((s, n) => {
      const geometry = geometryOf(s.mesh);
      if (s.look === "glass") {
        const material = this.water.clear({ color: "#ffffff", face: 0.03, edge: 0.55, mirror: 0.75 });
        const object = new THREE.Mesh(geometry, material);
        this.clear.add(object);
        const paint = () => {
          material.uniforms.uTint.value.set(isDark() ? "#d5eef7" : "#5d7f8d");
          material.uniforms.uMirror.value = isDark() ? 0.6 : 0.25;
        };
        paint();
        return { ...s, object, paint };
      }
      const material = new THREE.MeshStandardMaterial({ roughness: 0.72, metalness: 0.02, side: THREE.DoubleSide });
      const paint = () => material.color.set(s.moves ? bodyColor(n) : isDark() ? "#5a6d78" : "#c3ced3");
      paint();
      const object = new THREE.Mesh(geometry, material);
      this.solid.add(object);
      return { ...s, object, paint };
    });
  }

  show(content) {
    const { surface, particles, bodies = {}, bubbles = [] } = content;
    if (surface !== this.content.surface) {
      this.body.geometry.dispose();
      this.body.geometry = surface ? geometryOf(surface) : new THREE.BufferGeometry();
    }
    this.body.visible = Boolean(surface) && surface.triangles.length > 0;
    if (particles !== this.content.particles) this.showParticles(particles, content.topSpeed, content.spacing);
    this.points.visible = Boolean(particles);
    for (const s of this.solids) {
      const pose = bodies[s.name];
      if (!pose) continue;
      s.object.position.set(...pose.position);
      s.object.quaternion.set(pose.quaternion[1], pose.quaternion[2], pose.quaternion[3], pose.quaternion[0]);
    }
    this.content = content;
    this.showShells(surface, bubbles);
    this.draw();
  }

  showParticles(particles, top, spacing) {
    this.points.geometry.dispose();
    this.points.geometry = new THREE.BufferGeometry();
    if (!particles) return;
    const { count, positions, velocities } = particles, colors = new Float32Array(3 * count);
    for (let n = 0; n < count; ++n) {
      const speed = velocities ? Math.hypot(velocities[3 * n], velocities[3 * n + 1], velocities[3 * n + 2]) : 0;
      speedColor(speed / (top || 1), colors, 3 * n);
    }
    for (let n = 0; n < colors.length; ++n) colors[n] /= 255;
    this.points.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    this.points.geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    this.points.material.uniforms.uSide.value = 0.9 * spacing;
  }

  // Parts of the mesh around air, each in the colour of the bubble whose middle is nearest.
  showShells(surface, bubbles) {
    for (const old of [...this.shells.children]) old.geometry.dispose(), old.removeFromParent();
    if (!surface?.bubbles || !this.layers.bubbles) return;
    const left = new Set(bubbles.filter((b) => !b.ambient));
    for (const part of surface.bubbles.slice(0, 400)) {
      let best = null, nearest = 0.35 * Math.cbrt(part.volume) + 0.02 * this.reach;
      for (const b of left) {
        const distance = Math.hypot(...b.center.map((c, a) => c - part.center[a]));
        if (distance < nearest) (nearest = distance), (best = b);
      }
      if (best) left.delete(best);
      const color = best ? bubbleColor(best.id) : isDark() ? "#bfe6f2" : "#3d8aa5";
      const mesh = new THREE.Mesh(
        geometryOf(surface, surface.triangles.subarray(part.start, part.start + part.count)),
        this.water.clear({ color, face: best?.lit ? 0.45 : 0.12, edge: best ? 0.85 : 0.4, mirror: 0.15 }));
      mesh.frustumCulled = false;
      this.shells.add(mesh);
    }
  }

  project(center) {
    const v = new THREE.Vector3(...center).project(this.camera);
    return v.z > 1 ? null : [((v.x + 1) / 2) * this.canvas.clientWidth, ((1 - v.y) / 2) * this.canvas.clientHeight];
  }

  // How large a length at that place is on the screen.
  pixels(length, center) {
    const away = this.camera.position.distanceTo(new THREE.Vector3(...center));
    return (length * this.canvas.clientHeight) / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * away);
  }

  draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.render();
    });
  }

  render() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height || !this.size) return;
    if (!this.placed) this.resetView();
    const ratio = Math.min(2, devicePixelRatio || 1), { renderer, camera, water } = this;
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    const W = Math.floor(width * ratio), H = Math.floor(height * ratio);
    if (this.canvas.width !== W || this.canvas.height !== H) renderer.setSize(width, height, false);
    for (const target of [this.sceneTarget, this.layersTarget, this.frontTarget])
      if (target.width !== W || target.height !== H) target.setSize(W, H);
    camera.aspect = width / height;
    const away = camera.position.distanceTo(this.middle);
    camera.near = Math.max(0.02 * this.reach, away - 4 * this.reach);
    camera.far = away + 6 * this.reach;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    const u = water.shared, f = water.finish.uniforms;
    u.uSize.value.set(W, H);
    u.uNear.value = camera.near;
    u.uFar.value = camera.far;
    u.uDepth.value = this.sceneTarget.depthTexture;
    u.uMiddle.value = away;
    u.uReach.value = this.reach;
    f.uScene.value = this.sceneTarget.texture;
    f.uLayers.value = this.layersTarget.texture;
    f.uFront.value = this.frontTarget.texture;
    f.uInverse.value.copy(camera.projectionMatrixInverse);
    f.uTurn.value.setFromMatrix4(camera.matrixWorld);
    this.points.material.uniforms.uScale.value = H / (2 * Math.tan((camera.fov * Math.PI) / 360));
    this.ground.visible = this.layers.grid;
    for (const s of this.solids) s.object.visible = this.layers.solids;

    renderer.setClearColor(0x000000, 0);
    const into = (target, scene, material) => {
      renderer.setRenderTarget(target);
      renderer.clear();
      if (material) this.body.material = material;
      renderer.render(scene, camera);
    };
    into(this.sceneTarget, this.solid);
    into(this.layersTarget, this.liquid, water.layersMaterial);
    into(this.frontTarget, this.liquid, water.frontMaterial);
    renderer.setRenderTarget(null);
    renderer.clear();
    renderer.render(this.screen, this.flat);
    renderer.render(this.clear, camera);
    ++this.drawn;
    this.moved?.();
  }
}
