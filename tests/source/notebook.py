"""Run the cells of a file of JSON as a notebook, with a real kernel, and print the outputs as JSON."""

import json
import re
import sys

import nbclient
import nbformat

with open(sys.argv[1], encoding="utf-8") as file:
    cells = [nbformat.v4.new_code_cell(text) for text in json.load(file)]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, allow_errors=True, kernel_name="python3", timeout=300).execute()


def text(output):
    match output.output_type:
        case "stream":
            return output.text
        case "error":
            return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(output.traceback))
    return output.data["text/plain"]


print(json.dumps(["".join(map(text, cell.outputs)) for cell in notebook.cells]))
