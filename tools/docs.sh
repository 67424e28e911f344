#!/usr/bin/env bash
# Builds the site of the documents, with the reference of all languages, in build/site. Nothing else need be built.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run docs
  the site of the documents goes to build/site: open build/site/index.html. Warnings are errors"

case "${1:-}" in
  '') ;;
  -h | --help) echo "$usage"; exit 0 ;;
  *) usage_error "docs: unknown option '$1'" "$usage" ;;
esac
bash "$ROOT/tools/install_dependencies.sh" docs
bash "$ROOT/tools/make_venv.sh" docs
hold_lock "$BUILD/site-made"
python=$VENV/bin/python made=$BUILD/site-made
export SHARDFFT_SITE_XML=$made/xml PYTHONDONTWRITEBYTECODE=1

say "reading the headers"
doxygen_of() { # NAME FOLDER
  mkdir -p "$made/xml/$1"
  (cat "$ROOT/docs/site/Doxyfile" && echo "INPUT = $2
STRIP_FROM_PATH = $ROOT/include
INPUT_FILTER = \"$python $ROOT/docs/site/comments.py\"
OUTPUT_DIRECTORY = $made/xml/$1") | doxygen - || die "doxygen found faults in the comments of $2"
}
doxygen_of cpp "$ROOT/include/shardfft"
doxygen_of c "$ROOT/include/shardfft/c"

say "making the pages"
"$python" "$ROOT/docs/site/stage.py" "$made/pages"
rm -rf "$BUILD/site"  # pages that are no more would stay
"$python" -m sphinx -q -W --keep-going -j auto -c "$ROOT/docs/site" -d "$made/doctrees" "$made/pages" "$BUILD/site" ||
  die "the site has faults"
say "the site is $BUILD/site/index.html"
