"""The bars: what each figure may be at most. Changing one is a decision, not a mend."""

from __future__ import annotations

from tests.bench.figures import Bar

BARS = (
    Bar(work="start → typed key visible", figure="start_ms", unit="ms", limit=1.3, against="floor"),
    Bar(work="key → screen, p50", figure="key_p50_ms", unit="ms", limit=8),
    Bar(work="key → screen, p95", figure="key_p95_ms", unit="ms", limit=8),
    Bar(work="key → screen while 200 tokens/s stream, p50", figure="busy_p50_ms", unit="ms", limit=20),
    Bar(work="key → screen while 200 tokens/s stream, p95", figure="busy_p95_ms", unit="ms", limit=20),
    Bar(work="20,000 tokens, wall", figure="reply_wall_s", unit="s", limit=1.0),
    Bar(work="20,000 tokens, CPU", figure="reply_cpu_s", unit="s", limit=1.5),
    Bar(work="memory, settled", figure="settled_mb", unit="MB", limit=75),
    Bar(work="memory, after 20,000 tokens", figure="after_mb", unit="MB", limit=95),
    Bar(work="memory, per 100 turns", figure="mb_per_100_turns", unit="MB", limit=6),
    Bar(work="idle CPU", figure="idle_percent", unit="%", limit=0.3),
    Bar(work="exec one-shot, wall", figure="exec_wall_s", unit="s", limit=0.5),
    Bar(work="exec one-shot, peak RSS", figure="exec_peak_mb", unit="MB", limit=80),
    Bar(work="exec, one tool step beyond the tool", figure="tool_step_ms", unit="ms", limit=10),
    Bar(work="last 10 turns / first 10", figure="turn_ratio", unit="×", limit=1.1),
    Bar(work="key → screen after those turns, p95", figure="grown_key_p95_ms", unit="ms", limit=8),
    Bar(work="session of 100,000 events: newest turn on screen", figure="long_open_ms", unit="ms", limit=500),
    Bar(work="the same: fold / json.loads unpacked", figure="fold_ratio", unit="×", limit=2),
    Bar(work="requests of 500 steps, rebuilt and printed", figure="rebuild_s", unit="s", limit=2),
    Bar(work="freezing and recording, share of a step", figure="record_percent", unit="%", limit=5),
    Bar(work="1,000 chunks durable / plainest way", figure="batch_ratio", unit="×", limit=3),
    Bar(work="fence of 5,000 lines: streamed / drawn once", figure="fence_ratio", unit="×", limit=2),
    Bar(work="the same: longest flush", figure="fence_frame_ms", unit="ms", limit=100),
    Bar(work="session of 2,000 turns: key → screen, p95", figure="long_key_p95_ms", unit="ms", limit=8),
    Bar(
        work="session of 2,000 turns: the same while streaming",
        figure="long_busy_p95_ms",
        unit="ms",
        limit=20,
    ),
    Bar(work="timeline of 100,000 events: key → that turn, p95", figure="scrub_p95_ms", unit="ms", limit=50),
    Bar(work="the same: from one end to the other", figure="scrub_far_ms", unit="ms", limit=50),
    Bar(
        work="browser over 10,000 sessions, warm: first paint",
        figure="browser_paint_ms",
        unit="ms",
        limit=150,
    ),
    Bar(work="browser: key → screen while filtering, p95", figure="browser_key_p95_ms", unit="ms", limit=150),
    Bar(work="browser: what was said, rare word", figure="browser_search_ms", unit="ms", limit=100),
    Bar(work="browser: what was said, common word", figure="browser_search_common_ms", unit="ms", limit=100),
)
