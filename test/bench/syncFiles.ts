/** Fetching attached files from another node: how many a second, and what one costs while few and while many are waited for. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createStreams, register, streamIdOf, type Owner } from './account.js'
import type { Measured } from './measure.js'
import { processorSeconds } from './processes.js'
import { inSync, pair, pause, resume, startEnd, type End } from './syncEnds.js'

export const syncFileRows = ['sync-files', 'sync-files-backlog'] as const
export type SyncFileRow = (typeof syncFileRows)[number]

const FILE_BYTES = 10_000
const FILES_EACH = 10
const FEW = 200
const MANY = 2000

interface Fetched {
  /** Files a second. */
  rate: number
  /** Milliseconds of processor for each, of the node that fetches and of the one that gives. */
  taking: number
  giving: number
}

/** Measures the rows that are chosen, on two homes of their own. */
export async function measureSyncFiles(
  folder: string,
  chosen: (id: SyncFileRow) => boolean,
  tell: (measured: Measured) => void,
): Promise<void> {
  const ends: [End, End] = [await startEnd(join(folder, 'a')), await startEnd(join(folder, 'b'))]
  const [a, b] = ends
  try {
    const owner = await register(a.server, 'traveller')
    await createStreams(a.server, owner)
    await inSync(b, await pair(a, b))
    await fetchFiles(a, b, owner, FEW)
    const few = await fetchFiles(a, b, owner, FEW)
    const many = await fetchFiles(a, b, owner, MANY)
    const words = ({ taking, giving }: Fetched): string => `${taking.toFixed(1)} + ${giving.toFixed(1)} ms`
    if (chosen('sync-files')) {
      const label = `files of 10 kB from another node, ${MANY.toLocaleString('en')} waited for`
      tell({ id: 'sync-files', label, figure: many.rate, unit: 'files/s', target: '≥ 200 files/s', met: many.rate >= 200 })
    }
    if (chosen('sync-files-backlog')) {
      const figure = (many.taking + many.giving) / (few.taking + few.giving)
      const label = `processor of both nodes for each of ${MANY.toLocaleString('en')} (${words(many)}), of that for each of ${FEW} (${words(few)})`
      tell({ id: 'sync-files-backlog', label, figure, unit: 'of few', target: '≤ 1.2 of few', met: figure <= 1.2 })
    }
  } finally {
    for (const { server } of ends) await server.stop()
  }
}

/** Has one node get so many files while the other is away, and measures what they take once it is back. */
async function fetchFiles(a: End, b: End, owner: Owner, count: number): Promise<Fetched> {
  await pause(b)
  for (let made = 0; made < count; made += FILES_EACH) await upload(a, owner)
  const processors = (): number[] => [b, a].map(({ server }) => processorSeconds(server.pid) ?? NaN)
  const before = processors()
  await resume(b)
  const after = processors()
  const { began, inSyncAt = NaN } = await pause(b)
  const [taking = NaN, giving = NaN] = after.map((seconds, i) => ((seconds - (before[i] ?? NaN)) * 1000) / count)
  await resume(b)
  return { rate: count / (inSyncAt - began), taking, giving }
}

async function upload({ server }: End, { username, token }: Owner): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: [streamIdOf(0)], type: 'picture/attached' }))
  for (let n = 0; n < FILES_EACH; n++) form.append(`f${n}`, new Blob([randomBytes(FILE_BYTES)]), `f${n}.png`)
  const { status } = await fetch(`${server.url}${username}/events`, { method: 'POST', headers: { authorization: token }, body: form })
  if (status !== 201) throw new Error(`an upload was answered with ${status}`)
}
