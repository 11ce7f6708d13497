/** @jsxImportSource hono/jsx */
import { encode } from 'uqr'

/** Renders a text as a QR code, dark on light in both colour schemes; `label` is its text alternative. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data.map((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`).join('')).join('')
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect fill="#fff" width={String(size)} height={String(size)} />
      <path fill="#000" d={path} />
    </svg>
  )
}

/** Returns the runs of dark modules of a row as pairs of start and length. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = []
  let start: number | undefined
  for (const [x, isDark] of [...row, false].entries()) {
    if (isDark) start ??= x
    else if (start !== undefined) {
      runs.push([start, x - start])
      start = undefined
    }
  }
  return runs
}
