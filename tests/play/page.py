"""The page of `tesserac play` in a browser: a mistake gets its squiggle, is mended, the program runs and its plot is seen.

    page.py CHROMIUM FOLDER TESSERAC

FOLDER gets pictures of the page.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import expect, run_cases  # noqa: E402
from browser import Browser  # noqa: E402
from web import Page  # noqa: E402


def open_page(arguments):
    program, folder, *tesserac = arguments
    os.makedirs(folder, exist_ok=True)
    page = Page([*tesserac, "play"])
    browser = Browser(program)
    browser.do("Page.navigate", url=page.url)
    browser.wait("document.body?.dataset.ready", "the page is ready")
    return page, browser, folder


def empty(browser):
    browser.click("textarea")
    browser.key("a", 65, modifiers=2)
    browser.key("Delete", 46)


OUTPUT = "document.getElementById('output').innerText"
MARKED = "[...document.querySelectorAll('.squiggle')].map(one => one.textContent).join('')"


def test_a_program_from_its_mistake_to_its_plot(arguments):
    page, browser, folder = open_page(arguments)
    empty(browser)
    browser.type("def main():\nx = arange(5).astype(f32)\nprint(\"sum\", sum(xs))\nplot(\"line.svg\", {\"x\": x}, title=\"a line\")")
    browser.key("Escape", 27)
    expect(browser.value("document.querySelector('textarea').value.split('\\n')[2]"), "    print(\"sum\", sum(xs))")
    expect(browser.wait(MARKED, "the mistake is marked"), "xs")
    expect(browser.wait("document.querySelector('#problems li')?.innerText", "it is listed")[:6], "line 3")
    # Its message, at the place.
    x, y = browser.value("(() => { const box = document.querySelector('.squiggle').getBoundingClientRect(); return [box.left + 5, box.top + 8]; })()")
    browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("!document.querySelector('.hover').hidden && document.querySelector('.hover').innerText.includes('xs')", "the message is shown")
    browser.picture(os.path.join(folder, "mistake.png"))
    # Mended by hand: behind `xs`.
    browser.value("(() => { const area = document.querySelector('textarea'); const at = area.value.indexOf('xs') + 2; area.focus(); area.setSelectionRange(at, at); })()")
    browser.key("Backspace", 8)
    browser.key("Escape", 27)
    browser.wait("document.querySelectorAll('.squiggle').length === 0 && document.querySelectorAll('#problems li').length === 0", "it is mended")
    browser.key("Enter", 13, modifiers=2)
    browser.wait(f"document.getElementById('state').dataset.code === '0' && {OUTPUT}.includes('sum 10')", "the program runs")
    browser.wait("document.querySelector('#output img')?.naturalWidth > 100", "the plot is seen")
    browser.picture(os.path.join(folder, "plot.png"))
    expect(browser.complaints(), [])
    browser.end()
    page.end()


def test_completion_and_documentation(arguments):
    page, browser, folder = open_page(arguments)
    empty(browser)
    browser.type("def main():\nprint(math.sq")
    browser.wait("!document.querySelector('.completion').hidden", "names are offered")
    browser.wait("document.querySelector('.completion [aria-selected=true]').innerText.startsWith('sqrt')", "sqrt is the first")
    browser.picture(os.path.join(folder, "completion.png"))
    browser.key("Enter", 13)
    browser.type("(2.0))")
    browser.key("Escape", 27)
    expect(browser.value("document.querySelector('textarea').value"), "def main():\n    print(math.sqrt(2.0))")
    x, y = browser.value("(() => { const text = document.querySelector('.layers pre'); const range = document.createRange(); "
                         "const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT); let node; "
                         "while ((node = walker.nextNode()) && !node.data.includes('sqrt')); range.setStart(node, node.data.indexOf('sqrt') + 1); "
                         "range.setEnd(node, node.data.indexOf('sqrt') + 3); const box = range.getBoundingClientRect(); return [box.left, box.top + 8]; })()")
    browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("!document.querySelector('.hover').hidden && document.querySelector('.hover').innerText.includes('Square root')", "the page of sqrt is shown")
    browser.picture(os.path.join(folder, "hover.png"))
    browser.key("Enter", 13, modifiers=2)
    browser.wait(f"{OUTPUT}.includes('1.41421')", "it runs")
    expect(browser.complaints(), [])
    browser.end()
    page.end()


def test_samples_levels_tables_and_errors(arguments):
    page, browser, folder = open_page(arguments)
    assert browser.value("document.querySelectorAll('#samples option').length") > 30
    browser.value("(() => { const list = document.getElementById('samples'); list.value = 'samples/saxpy.tsr'; list.dispatchEvent(new Event('change')); })()")
    browser.wait("document.querySelector('textarea').value.includes('def saxpy')", "the sample is open")
    for tab, wanted in (("ptx", ".visible .entry"), ("tile", "lanes")):
        browser.click(f"#tab-{tab}")
        browser.wait(f"document.getElementById('level').innerText.includes({json.dumps(wanted)})", tab)
    browser.picture(os.path.join(folder, "level.png"))
    empty(browser)
    browser.type("def main(n: i32 = 2):\ny = arange(n * 3).reshape((n, 3))\nsave(\"y.npz\", {\"y\": y})\nsave(\"picture.png\", cast(y * 20, u8))\nassert n > 5, \"too few\"")
    browser.key("Escape", 27)
    browser.value("document.getElementById('arguments').value = '--n 4'")
    browser.click("#run")
    browser.wait(f"{OUTPUT}.includes('too few') && document.querySelectorAll('#output figure').length === 2", "the error and the results are shown")
    browser.wait("document.querySelector('#output img')?.naturalWidth === 3", "the picture is shown")
    browser.picture(os.path.join(folder, "results.png"))
    expect(browser.value("[...document.querySelectorAll('#output table tr')].map(row => row.innerText.trim().split(/\\s+/).join(' ')).join(';')"),
           "0 1 2;3 4 5;6 7 8;9 10 11")
    expect(browser.complaints(), [])
    browser.end()
    page.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
