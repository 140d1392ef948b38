"""What the tests in Blender share: the add-on switched on, an empty scene, and an end that ctest understands."""
import os
import sys
import traceback

import bpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import glug  # noqa: E402


def arguments():
    return sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []


def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def main(tests):
    """Runs them all; ends Blender with 0 or 1."""
    failed = 0
    glug.register()
    for test in tests:
        try:
            empty_scene()
            test()
            print(f"ok      {test.__name__}")
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED  {test.__name__}")
            traceback.print_exc()
    glug.unregister()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if failed else 0)
