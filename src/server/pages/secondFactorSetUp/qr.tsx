/** @jsxImportSource hono/jsx */
import { encode } from 'uqr'

/** A text as a QR code, dark on light whatever the scheme; `label` says what it is to who cannot see it. */
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

/** The runs of dark modules of a row: where each begins, and how long it is. */
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
