"""Water, glass and matt things, one click each. Made once, then left to the user."""
import bpy


def _fresh(name):
    material = bpy.data.materials.get(name)
    if material:
        return material, None
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes.clear()
    return material, material.node_tree


def _refracting(name, color, ior, roughness, absorb=None, density=0.0):
    material, tree = _fresh(name)
    if tree is None:
        return material
    out = tree.nodes.new("ShaderNodeOutputMaterial")
    # Shadows of clear things are clear: without this, what stands in glass stands in the dark.
    mix = tree.nodes.new("ShaderNodeMixShader")
    path = tree.nodes.new("ShaderNodeLightPath")
    glass = tree.nodes.new("ShaderNodeBsdfGlass")
    clear = tree.nodes.new("ShaderNodeBsdfTransparent")
    glass.inputs["Color"].default_value = (*color, 1)
    glass.inputs["IOR"].default_value = ior
    glass.inputs["Roughness"].default_value = roughness
    clear.inputs["Color"].default_value = (*color, 1)
    tree.links.new(path.outputs["Is Shadow Ray"], mix.inputs[0])
    tree.links.new(glass.outputs[0], mix.inputs[1])
    tree.links.new(clear.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], out.inputs["Surface"])
    if absorb:
        volume = tree.nodes.new("ShaderNodeVolumeAbsorption")
        volume.inputs["Color"].default_value = (*absorb, 1)
        volume.inputs["Density"].default_value = density
        tree.links.new(volume.outputs[0], out.inputs["Volume"])
    for n, node in enumerate(tree.nodes):
        node.location = (220 * (n % 3), -180 * (n // 3))
    material.use_screen_refraction = True if hasattr(material, "use_screen_refraction") else False
    material.diffuse_color = (*color, 0.4)
    return material


def water(size=1.0):
    """size: of the scene, m. A glass of water is clear, a pool is blue: here both show some colour."""
    return _refracting("Glug water", (1, 1, 1), 1.333, 0, absorb=(0.35, 0.78, 0.94), density=3.0 / max(size, 1e-6))


def glass():
    return _refracting("Glug glass", (0.97, 0.99, 0.985), 1.5, 0)


def matte(name="Glug solid", color=(0.62, 0.64, 0.66)):
    material, tree = _fresh(name)
    if tree is None:
        return material
    out = tree.nodes.new("ShaderNodeOutputMaterial")
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    shader.inputs["Base Color"].default_value = (*color, 1)
    shader.inputs["Roughness"].default_value = 0.55
    tree.links.new(shader.outputs[0], out.inputs["Surface"])
    material.diffuse_color = (*color, 1)
    return material


def body():
    return matte("Glug body", (0.78, 0.42, 0.18))


def spray():
    return matte("Glug spray", (0.9, 0.95, 1.0))


def put(target, material):
    target.materials.clear()
    target.materials.append(material)
