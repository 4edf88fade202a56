"""Figures and tables for papers: every agent is identified, and a document with both compiles."""

import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

import permove as pm
from permove.report.document import Document, Rows, latex, latex_text
from permove.report.figures import WIDTH, Axis, Points, points
from support import TIMEOUT, error_of, invoke

RUN = "run --map rooms-128 --limit 12 -a 'rtaa(k={3,10,30})' 'lrta(d=1)' 'lrta(d=8)' 'wastar(gamma={0.2,0.5})' astar"
DOCUMENT = r"""
\documentclass[twocolumn]{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs,graphicx}
\begin{document}
\input{table}
\begin{figure}\centering\includegraphics[width=\linewidth]{figure}\end{figure}
\end{document}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pm.Run:
    folder = tmp_path_factory.mktemp("figures") / "run"
    invoke(f"{RUN} --cutoff 1000", "--out", folder)
    return pm.Run(folder)


def texts(svg: str) -> list[str]:
    return [re.sub(r"<[^>]+>", "", text) for text in re.findall(r"<text[^>]*>.*?</text>", svg, flags=re.DOTALL)]


@pytest.mark.parametrize(
    "line",
    [
        "report {}",
        "report {} --view tradeoff",
        "report {} --view profiles",
        "report {} --view scaling",
        "guide {}",
        "compare {} 'rtaa(k=3)' --against all",
        "compare {} 'rtaa(k=3)' 'rtaa(k=10)'",
    ],
)
def test_every_result_has_a_figure_in_every_format(line: str, run: pm.Run) -> None:
    for suffix in ("svg", "pdf", "png"):
        invoke(line.format(run.folder), "--plot", f"figure.{suffix}")
    assert Path("figure.svg").read_text().startswith("<svg")
    assert re.search(rb"/MediaBox \[0 0 246 \d+\]", Path("figure.pdf").read_bytes())
    with Image.open("figure.png") as picture:
        assert picture.width == 4 * WIDTH


def test_every_agent_of_a_tradeoff_is_in_the_legend_or_has_a_label(run: pm.Run) -> None:
    shown = texts(run.plot())
    assert {"RTAA*", "LRTA* (F, G)", "A*"}.isdisjoint(shown) is False
    for label in run.tradeoff().filter("qualified")["label"]:
        family, value = re.fullmatch(r"(.*?) ?\(?([a-zγ]=[\d.]+)?\)?", label).groups()  # type: ignore[union-attr]
        assert family in shown, label
        assert value is None or value in shown, label


def test_rivals_of_a_comparison_are_named_and_the_agent_is_marked(run: pm.Run) -> None:
    shown = pm.compare(run, "rtaa(k=3)").plot()
    assert set(texts(run.plot())) <= set(texts(shown))
    paired = pm.compare(run, "rtaa(k=3)", "rtaa(k=10)").plot()
    assert len(paired) > len(shown) > len(run.plot())


def test_labels_overlap_neither_points_nor_each_other() -> None:
    rows = [{"agent": f"lrta(d={d})", "label": f"LRTA* d={d}", "x": 1.01**d, "y": 1.0 + d / 500} for d in range(60)]
    frame = pl.DataFrame(rows)
    shown = [text for text in texts(points(Points(frame, Axis("x", "x"), Axis("y", "y")))) if text.startswith("d=")]
    assert 2 * 5 <= len(shown) < 2 * 60  # each label has a halo


def test_wrong_figure_files_are_rejected(run: pm.Run) -> None:
    message = error_of(f"report {run.folder} --plot figure.jpg")
    assert "cannot draw figure.jpg; use a name that ends in .svg, .pdf or .png" in message
    assert "the folder nowhere does not exist" in error_of(f"guide {run.folder} --plot nowhere/figure.svg")


def test_latex_escapes_its_characters() -> None:
    assert latex_text("50% & 3 ± 1_a {γ} --cap “x”") == r"50\% \& 3$\pm$1\_a \{$\gamma$\} -{}-cap ``x''"
    table = latex(Document("t_1", [Rows(["a", "b"], [False, True], [["x&y", "1"]])]))
    assert r"\begin{tabular}{lr}" in table
    assert "x\\&y & 1 \\\\" in table
    assert r"\caption{t\_1}" in table


@pytest.mark.parametrize(
    "line", ["report {}", "guide {}", "compare {} 'rtaa(k=3)' --against all", "report {} --view scaling"]
)
def test_tables_in_latex_have_a_row_for_each_agent(line: str, run: pm.Run) -> None:
    table = invoke(line.format(run.folder), "--format", "latex").stdout
    assert table.count(r"\begin{table}") == table.count(r"\end{table}") == table.count(r"\toprule") >= 1
    assert table.isascii()
    for row in re.findall(r"\\midrule\n(.*?)\\bottomrule", table, flags=re.DOTALL):
        assert len({line.count(" & ") for line in row.strip().splitlines()}) == 1


def test_document_with_a_table_and_a_figure_compiles(run: pm.Run) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    invoke(f"report {run.folder} --plot figure.pdf --format latex -o table.tex")
    Path("paper.tex").write_text(DOCUMENT)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
    assert "Overfull \\hbox" not in result.stdout
