"""The panels: what an object is, and the simulation."""
import bpy


class ObjectPanel(bpy.types.Panel):
    bl_label = "Glug"
    bl_idname = "OBJECT_PT_glug"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"

    @classmethod
    def poll(cls, context):
        return context.object and (context.object.type == "MESH" or context.object.glug.run)

    def draw(self, context):
        layout, glug = self.layout, context.object.glug
        layout.use_property_split = True
        if glug.run:
            layout.prop(glug, "run")
            layout.prop(glug, "offset")
            return
        layout.prop(glug, "kind")
        if glug.kind in ("LIQUID", "RIGID", "EMITTER"):
            layout.prop(glug, "velocity")
        if glug.kind == "RIGID":
            layout.prop(glug, "density")
        if glug.kind in ("SOLID", "RIGID"):
            layout.prop(glug, "glass")


class ScenePanel(bpy.types.Panel):
    bl_label = "Glug"
    bl_idname = "VIEW3D_PT_glug"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Glug"

    def draw(self, context):
        layout, glug = self.layout, context.scene.glug
        layout.use_property_split = True
        for name in ("resolution", "air", "open_top", "viscosity", "particles", "folder", "program"):
            layout.prop(glug, name)
        row = layout.row(align=True)
        row.operator("glug.run_scene", icon="PLAY")
        row.operator("glug.stop_run", icon="PAUSE")
        layout.operator("glug.export_scene", icon="EXPORT")
        layout.operator("glug.import_run", icon="IMPORT")
        row = layout.row(align=True)
        row.operator("glug.give_material", text="Water", icon="MOD_FLUIDSIM").name = "WATER"
        row.operator("glug.give_material", text="Glass", icon="MESH_CYLINDER").name = "GLASS"


CLASSES = (ObjectPanel, ScenePanel)
