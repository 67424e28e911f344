// Fills the version switch from versions.json of this site, or of the site above it, where all versions lie side by side.
// Pages that are read from files may not fetch: then the switch shows the version that was built.
(async () => {
  const select = document.getElementById("versions");
  const root = document.documentElement.dataset.content_root || "./";
  for (const place of ["../versions.json", "versions.json"]) {
    try {
      const base = new URL(root + place, document.baseURI);
      const answer = await fetch(base);
      if (!answer.ok) continue;
      const here = select.value;
      select.replaceChildren(...(await answer.json()).map(({ version, url }) =>
        new Option(version, new URL(url + "/", base), version === here, version === here)));
      select.onchange = () => { location.href = select.value + "index.html"; };
      return;
    } catch { /* the next place */ }
  }
})();
