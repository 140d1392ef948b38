"""Glug in Blender: runs come in as animated objects, marked meshes go out as scenes (docs/blender.md)."""
bl_info = {
    "name": "Glug liquids",
    "author": "Glug",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > Glug, File > Import",
    "description": "Import runs of Glug, export scenes to it and simulate them",
    "category": "Import-Export",
}

import bpy

from . import importer, operators, panels, properties

_classes = (*properties.CLASSES, *operators.CLASSES, *panels.CLASSES)


def _menu(self, _context):
    self.layout.operator("glug.import_run", text="Glug run (scene.toml)")


def register():
    for cls in _classes:
        bpy.utils.register_class(cls)
    bpy.types.Object.glug = bpy.props.PointerProperty(type=properties.GlugObject)
    bpy.types.Scene.glug = bpy.props.PointerProperty(type=properties.GlugScene)
    bpy.types.TOPBAR_MT_file_import.append(_menu)
    bpy.app.handlers.frame_change_pre.append(importer.on_frame)
    bpy.app.handlers.load_post.append(importer.on_load)
    bpy.app.timers.register(importer.follow, first_interval=2.0, persistent=True)


def unregister():
    if bpy.app.timers.is_registered(importer.follow):
        bpy.app.timers.unregister(importer.follow)
    bpy.app.handlers.load_post.remove(importer.on_load)
    bpy.app.handlers.frame_change_pre.remove(importer.on_frame)
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    del bpy.types.Scene.glug
    del bpy.types.Object.glug
    for cls in reversed(_classes):
        bpy.utils.unregister_class(cls)
