"""How Python calls a region, and how threads share one: the functions with C's interface, as LLVM assembly.

`call_region` takes the address of a frame. A region in one loop runs without the GIL from its beginning to
its end, so several threads can run it, each with the frame of its part. A *worker* is a thread that waits for
a part in `work`: it reads its words of memory again and again, as the system takes as long to wake a thread
as a short region runs. `call_parts` takes the address of a table: the number of parts, then for each
the address of its frame, and that of the words of the worker to whom it is offered. A part that is not taken
when the calling thread has run its own is run by that thread, too, so nobody waits for a worker that sleeps.
"""

from __future__ import annotations

import platform

from ..assembly.statuses import INTERRUPTED

WORKER_WORDS = 5
"""The state, the function and the frame of a part, its status, and whether the worker is in `work`."""
LISTENS = 4
"""The index of the last of these words."""
_FREE, _CLAIMED, _OFFERED, _TAKEN, _DONE = range(5)
_PATIENCE = 10_000
"""How often a worker looks for a part before it sleeps: for some 0.2 ms, mostly in the `_PAUSE`."""

_PAUSE, _PAUSE_DECLARATION = {
    "x86_64": ("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"),
    "aarch64": ("call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32)"),
}.get({"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine()), ("", ""))

SYMBOLS = ("PyLong_AsVoidPtr", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread")


def _method(name: str, call: str, *, releases: bool) -> str:
    """Return a function of Python with one argument, an address. It may give up the GIL meanwhile."""
    save = "%thread = call ptr @PyEval_SaveThread()" if releases else ""
    restore = "call void @PyEval_RestoreThread(ptr %thread)" if releases else ""
    return f"""
define ptr @{name}(ptr %self, ptr %argument) {{
  %place = call ptr @PyLong_AsVoidPtr(ptr %argument)
  {save}
  %status = call i64 @{call}(ptr %place)
  {restore}
  %interrupted = icmp eq i64 %status, {INTERRUPTED}
  br i1 %interrupted, label %error, label %done
error:
  ret ptr null
done:
  %result = call ptr @PyLong_FromLong(i64 %status)
  ret ptr %result
}}"""


_DECLARATIONS = """
declare ptr @PyLong_AsVoidPtr(ptr)
declare ptr @PyLong_FromLong(i64)"""

_FINISH = _method("call_finish", "finish", releases=False)

METHODS = _method("call_region", "region", releases=False) + _FINISH + _DECLARATIONS
"""The functions of a region that gives up the GIL itself."""

_WORD = "getelementptr i64, ptr"
_SHARED = f"""
define internal i1 @change(ptr %worker, i64 %from, i64 %to) {{
  %pair = cmpxchg ptr %worker, i64 %from, i64 %to seq_cst seq_cst
  %changed = extractvalue {{ i64, i1 }} %pair, 1
  ret i1 %changed
}}
define internal void @offer(ptr %entry) {{
  %place = {_WORD} %entry, i64 1
  %worker = load ptr, ptr %place
  %claimed = call i1 @change(ptr %worker, i64 {_FREE}, i64 {_CLAIMED})
  br i1 %claimed, label %write, label %busy
busy:
  store ptr null, ptr %place
  ret void
write:
  %frame = load ptr, ptr %entry
  %function_place = {_WORD} %worker, i64 1
  store ptr @region, ptr %function_place
  %frame_place = {_WORD} %worker, i64 2
  store ptr %frame, ptr %frame_place
  store atomic i64 {_OFFERED}, ptr %worker seq_cst, align 8
  ret void
}}
define internal i64 @settle(ptr %entry) {{
  %frame = load ptr, ptr %entry
  %place = {_WORD} %entry, i64 1
  %worker = load ptr, ptr %place
  %nobody = icmp eq ptr %worker, null
  br i1 %nobody, label %alone, label %offered
alone:
  %own = call i64 @region(ptr %frame)
  ret i64 %own
offered:
  %withdrawn = call i1 @change(ptr %worker, i64 {_OFFERED}, i64 {_CLAIMED})
  br i1 %withdrawn, label %instead, label %wait
instead:
  store atomic i64 {_FREE}, ptr %worker seq_cst, align 8
  br label %alone
wait:
  %state = load atomic i64, ptr %worker seq_cst, align 8
  %done = icmp eq i64 %state, {_DONE}
  br i1 %done, label %taken, label %pause
pause:
  {_PAUSE}
  br label %wait
taken:
  %status_place = {_WORD} %worker, i64 3
  %status = load i64, ptr %status_place
  store atomic i64 {_FREE}, ptr %worker seq_cst, align 8
  ret i64 %status
}}
define internal i64 @parts(ptr %table) {{
entry:
  %count = load i64, ptr %table
  %first = {_WORD} %table, i64 1
  br label %offers
offers:
  %i = phi i64 [ 1, %entry ], [ %i_next, %offer ]
  %offers_left = icmp slt i64 %i, %count
  br i1 %offers_left, label %offer, label %own
offer:
  %i_word = mul i64 %i, 2
  %i_entry = {_WORD} %first, i64 %i_word
  call void @offer(ptr %i_entry)
  %i_next = add i64 %i, 1
  br label %offers
own:
  %frame = load ptr, ptr %first
  %own_status = call i64 @region(ptr %frame)
  br label %others
others:
  %k = phi i64 [ 1, %own ], [ %k_next, %other ]
  %status = phi i64 [ %own_status, %own ], [ %either, %other ]
  %others_left = icmp slt i64 %k, %count
  br i1 %others_left, label %other, label %end
other:
  %k_word = mul i64 %k, 2
  %k_entry = {_WORD} %first, i64 %k_word
  %k_status = call i64 @settle(ptr %k_entry)
  %either = or i64 %status, %k_status
  %k_next = add i64 %k, 1
  br label %others
end:
  ret i64 %status
}}
define internal i64 @work_for_others(ptr %worker) {{
entry:
  %listens = {_WORD} %worker, i64 {LISTENS}
  store atomic i64 1, ptr %listens seq_cst, align 8
  br label %look
look:
  %left = phi i64 [ {_PATIENCE}, %entry ], [ {_PATIENCE}, %take ], [ %less, %pause ]
  %state = load atomic i64, ptr %worker seq_cst, align 8
  %offered = icmp eq i64 %state, {_OFFERED}
  br i1 %offered, label %try, label %pause
try:
  %taken = call i1 @change(ptr %worker, i64 {_OFFERED}, i64 {_TAKEN})
  br i1 %taken, label %take, label %pause
take:
  %function_place = {_WORD} %worker, i64 1
  %function = load ptr, ptr %function_place
  %frame_place = {_WORD} %worker, i64 2
  %frame = load ptr, ptr %frame_place
  %status = call i64 %function(ptr %frame)
  %status_place = {_WORD} %worker, i64 3
  store i64 %status, ptr %status_place
  store atomic i64 {_DONE}, ptr %worker seq_cst, align 8
  br label %look
pause:
  {_PAUSE}
  %less = sub i64 %left, 1
  %spent = icmp eq i64 %less, 0
  br i1 %spent, label %sleep, label %look
sleep:
  store atomic i64 0, ptr %listens seq_cst, align 8
  ret i64 0
}}
{_PAUSE_DECLARATION}"""

SHARED_METHODS = (
    _method("call_region", "region", releases=True)
    + _FINISH
    + _method("call_parts", "parts", releases=True)
    + _method("work", "work_for_others", releases=True)
    + _SHARED
    + _DECLARATIONS
    + """
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)"""
)
"""The functions of a region that runs without the GIL."""
