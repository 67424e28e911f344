"""The site that `./run docs` has built, in a browser without a screen: on a phone, without a network, from the disk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue

import pytest
from test_site import SITE

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTH = 390  # of a phone, in CSS pixels
pytestmark = [
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason=f"{SITE} is missing: ./run docs builds it"),
    pytest.mark.skipif(BROWSER is None, reason="there is no chromium: tools/install_dependencies.sh browser"),
]

#: Opens each page in a frame of a phone's width, and posts its width, its first wide element, its loads from
#: elsewhere, and its missing pictures.
MEASURE = """<!doctype html><title>measure</title><script>
async function measured(path) {
  const frame = document.createElement("iframe");
  frame.style = "width:WIDTHpx; height:844px; border:0";
  frame.src = path;
  const loaded = new Promise(done => { frame.onload = done; });
  document.body.append(frame);
  await loaded;
  const page = frame.contentDocument, edge = page.documentElement.clientWidth;
  const beyond = [...page.body.querySelectorAll("article *")].find(one => one.getBoundingClientRect().right > edge);
  const loads = frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name);
  const found = {
    width: page.documentElement.scrollWidth, beyond: beyond ? beyond.outerHTML.slice(0, 120) : "",
    outside: loads.filter(one => !one.startsWith(location.origin) && !one.startsWith("data:")),
    missing: [...page.images].filter(one => one.loading != "lazy" && !one.naturalWidth).map(one => one.src),
    large: parseFloat(getComputedStyle(page.querySelector("article p") || page.body).fontSize),
  };
  frame.remove();
  return found;
}
addEventListener("load", async () => {
  const found = {};
  for (const path of await (await fetch("/pages")).json()) found[path] = await measured(path);
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
});
</script><body></body>""".replace("WIDTH", str(WIDTH))
#: A page with all the faults that are looked for.
FAULTY = """<!doctype html><title>faulty</title><article><p style="width:600px; font-size:9px">wide</p></article>
<script src="http://example.invalid/far.js"></script><img src="gone.png" alt="nothing">"""


@contextmanager
def served(pages: list[str], answers: Queue):
    """Serve the site and the page that measures; its results go to `answers`."""
    made = {"/measure": ("text/html", MEASURE), "/faulty": ("text/html", FAULTY),
            "/pages": ("application/json", json.dumps(pages))}  # fmt: skip

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(SITE))

        def do_GET(self):  # noqa: N802
            if self.path not in made:
                super().do_GET()
                return
            kind, text = made[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):  # noqa: N802
            answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def command(profile, *options: str) -> list[str]:
    return [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-dev-shm-usage", "--disable-background-networking", f"--user-data-dir={profile}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", *options]  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, dict]:
    """The browser's measures of each page; it must find the faults of a page that has them."""
    pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html") if "_static" not in path.parts)
    answers: Queue = Queue()
    with served([*pages, "faulty"], answers) as address:
        browser = subprocess.Popen(
            command(tmp_path_factory.mktemp("browser"), "--remote-debugging-port=0", f"{address}/measure"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            measured = answers.get(timeout=400)
        finally:
            browser.terminate()
            browser.wait(timeout=60)
    faulty = measured.pop("faulty")
    assert faulty["width"] > WIDTH and "wide" in faulty["beyond"] and faulty["large"] < 14
    assert faulty["outside"] == ["http://example.invalid/far.js"] and faulty["missing"][0].endswith("/gone.png")
    return measured


def test_pages_fit_a_phone(found):
    assert len(found) > 150
    wide = {name: (page["width"], page["beyond"]) for name, page in found.items() if page["width"] > WIDTH}
    assert wide == {}
    assert {name: page["large"] for name, page in found.items() if page["large"] < 14} == {}


def test_pages_load_nothing_from_elsewhere(found):
    assert {name: page["outside"] for name, page in found.items() if page["outside"]} == {}
    assert {name: page["missing"] for name, page in found.items() if page["missing"]} == {}


@pytest.mark.parametrize(("word", "page"), [("Layout", "layout"), ("poisson", "poisson")])
def test_search_finds_from_the_disk(word, page, tmp_path):
    """Without a server and without a network, as one who has unpacked the site searches it."""
    options = ("--virtual-time-budget=30000", "--dump-dom", f"{(SITE / 'search.html').as_uri()}?q={word}")
    dom = subprocess.run(command(tmp_path, *options), capture_output=True, text=True, timeout=120, check=True).stdout
    results = dom[dom.index('id="search-results"') :]
    links = re.findall(r'<li.*?<a href="([^"]+)"', results, re.DOTALL)
    assert len(links) > 3, results[:500]
    assert any(page in link.lower() for link in links[:10]), links[:10]
