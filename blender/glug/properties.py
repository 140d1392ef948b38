"""What the add-on remembers: of a scene, and of every object."""
import bpy

KINDS = [
    ("NONE", "Nothing", "Glug does not see it"),
    ("DOMAIN", "Domain", "The box around it is where everything happens"),
    ("LIQUID", "Liquid", "Filled with liquid at the start"),
    ("AIR", "Air", "Air at the start, also inside liquid"),
    ("SOLID", "Solid", "Stands, or moves by its keyframes"),
    ("RIGID", "Rigid body", "Carried by the liquid; follows its keyframes until they end"),
    ("EMITTER", "Emitter", "Lets liquid in"),
    ("DRAIN", "Drain", "Lets liquid out"),
]


class GlugObject(bpy.types.PropertyGroup):
    kind: bpy.props.EnumProperty(name="Glug", items=KINDS, default="NONE")
    glass: bpy.props.BoolProperty(name="Glass", description="Clear in Glug's own pictures, and glass when it comes back")
    velocity: bpy.props.FloatVectorProperty(name="Velocity", unit="VELOCITY", description="At the start; of an emitter: of its stream")
    density: bpy.props.FloatProperty(name="Density", default=500, min=1e-3, max=1e9, description="kg/m³; water has 1000")
    # Of what was imported:
    run: bpy.props.StringProperty(name="Run", subtype="DIR_PATH")
    offset: bpy.props.IntProperty(name="First frame")
    sequence: bpy.props.StringProperty()
    body: bpy.props.StringProperty()
    shown: bpy.props.StringProperty(options={"SKIP_SAVE"})
    middle: bpy.props.FloatVectorProperty()
    keyed: bpy.props.IntProperty()


class GlugScene(bpy.types.PropertyGroup):
    resolution: bpy.props.IntProperty(name="Resolution", default=64, min=4, max=8192, description="Cells along the longest side of the domain")
    air: bpy.props.EnumProperty(name="Air", default="CONSTRAINT", items=[
        ("CONSTRAINT", "Keeps its volume", "Trapped air is a bubble"), ("VOID", "Gives way", "Trapped air vanishes"),
        ("TWO_PHASE", "Has a mass", "Simulated like the liquid")])
    open_top: bpy.props.BoolProperty(name="Open top", default=True, description="The domain has no lid")
    viscosity: bpy.props.FloatProperty(name="Viscosity", default=0, min=0, description="Pa s; honey has 10")
    particles: bpy.props.BoolProperty(name="Particles", description="Write them, for spray")
    folder: bpy.props.StringProperty(name="Folder", default="//glug", subtype="DIR_PATH", description="Where the scene and its run go")
    program: bpy.props.StringProperty(name="Program", default="glug", subtype="FILE_PATH", description="glug, or the path of it")


CLASSES = (GlugObject, GlugScene)
