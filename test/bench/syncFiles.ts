/** Measures the sync of attached files: rate, and processor time per file with few and with many pending files. */
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

interface FetchResult {
  /** Files per second. */
  rate: number
  /** Milliseconds of processor time per file, of the receiver and the sender. */
  receiverMs: number
  senderMs: number
}

/** Measures the selected rows, in two separate homes. */
export async function measureSyncFiles(
  folder: string,
  isSelected: (id: SyncFileRow) => boolean,
  record: (measured: Measured) => void,
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
    const times = ({ receiverMs, senderMs }: FetchResult): string => `${receiverMs.toFixed(1)} + ${senderMs.toFixed(1)} ms`
    if (isSelected('sync-files')) {
      const label = `files of 10 kB from another node, ${MANY.toLocaleString('en')} pending`
      record({ id: 'sync-files', label, figure: many.rate, unit: 'files/s', target: '≥ 200 files/s', met: many.rate >= 200 })
    }
    if (isSelected('sync-files-backlog')) {
      const figure = (many.receiverMs + many.senderMs) / (few.receiverMs + few.senderMs)
      const label = `processor of both nodes for each of ${MANY.toLocaleString('en')} (${times(many)}), of that for each of ${FEW} (${times(few)})`
      record({ id: 'sync-files-backlog', label, figure, unit: 'of few', target: '≤ 1.2 of few', met: figure <= 1.2 })
    }
  } finally {
    for (const { server } of ends) await server.stop()
  }
}

/** Uploads files while sync is paused, and measures their transfer after it is resumed. */
async function fetchFiles(a: End, b: End, owner: Owner, count: number): Promise<FetchResult> {
  await pause(b)
  for (let uploaded = 0; uploaded < count; uploaded += FILES_EACH) await upload(a, owner)
  const processors = (): number[] => [b, a].map(({ server }) => processorSeconds(server.pid) ?? NaN)
  const before = processors()
  await resume(b)
  const after = processors()
  const { began, inSyncAt = NaN } = await pause(b)
  const [receiverMs = NaN, senderMs = NaN] = after.map((seconds, i) => ((seconds - (before[i] ?? NaN)) * 1000) / count)
  await resume(b)
  return { rate: count / (inSyncAt - began), receiverMs, senderMs }
}

async function upload({ server }: End, { username, token }: Owner): Promise<void> {
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: [streamIdOf(0)], type: 'picture/attached' }))
  for (let n = 0; n < FILES_EACH; n++) form.append(`f${n}`, new Blob([randomBytes(FILE_BYTES)]), `f${n}.png`)
  const { status } = await fetch(`${server.url}${username}/events`, { method: 'POST', headers: { authorization: token }, body: form })
  if (status !== 201) throw new Error(`an upload was answered with ${status}`)
}
