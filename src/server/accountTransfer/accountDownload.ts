/** Export of an account as a ZIP file that is sent while it is written. */
import { once as onceEmitted } from 'node:events'
import { PassThrough } from 'node:stream'
import { createZip } from '../base/zip.js'
import type { Context } from '../call/context.js'
import { exportAccount } from './exportAccount.js'
import { withNode } from './sources.js'
import { once, zipDraft } from './zipDraft.js'

/** A receiver that reads nothing for this long is disconnected, so that it does not hold a snapshot of the store. */
const STALLED_MS = 600_000
/** Name of the file that lists what could not be exported. */
const PROBLEMS = 'not-exported.txt'

/** Prefixes of the accounts that are being sent, by node. */
const running = new WeakMap<object, Set<string>>()

/** Checks whether an account is being sent. */
export const isDownloading = ({ store }: Pick<Context, 'store'>, prefix: string): boolean => running.get(store)?.has(prefix) === true

/**
 * Starts the export of an account; `folder` is the folder within the ZIP file. The stream fails when the export does, so that the
 * receiver never takes an incomplete file for a whole one. `onEnd` receives the error, if any.
 */
export function downloadAccount(
  node: Pick<Context, 'store' | 'clock'>,
  account: { prefix: string; username: string },
  folder: string,
  onEnd: (error: unknown) => void,
): PassThrough {
  const { prefix, username } = account
  const stream = new PassThrough()
  // Reported by `onEnd`.
  stream.on('error', () => undefined)
  const sent = running.get(node.store) ?? new Set()
  running.set(node.store, sent.add(prefix))
  void writeTo(node, username, folder, stream)
    .then(
      () => onEnd(undefined),
      (error: unknown) => {
        stream.destroy(error instanceof Error ? error : new Error(String(error)))
        onEnd(error)
      },
    )
    .finally(() => sent.delete(prefix))
  return stream
}

async function writeTo(node: Pick<Context, 'store' | 'clock'>, username: string, folder: string, stream: PassThrough): Promise<void> {
  const zip = await createZip((chunk) => send(stream, chunk), node.clock.now())
  await withNode(node, username, async (source, account) => {
    const { problems } = await exportAccount(source, account, zipDraft(zip, folder), { withFiles: true })
    if (problems.length > 0) await zip.add(`${folder}/${PROBLEMS}`, once(Buffer.from(`${problems.join('\n')}\n`)))
    await zip.end()
  })
  stream.end()
}

/** Writes a chunk; resolves when the receiver can take more. */
async function send(stream: PassThrough, chunk: Uint8Array): Promise<void> {
  if (stream.destroyed) throw new Error('The receiver of the export has disconnected.')
  if (stream.write(chunk)) return
  const ending = new AbortController()
  const stalled = setTimeout(() => stream.destroy(new Error('The receiver of the export reads nothing.')), STALLED_MS)
  try {
    const { signal } = ending
    await Promise.race([onceEmitted(stream, 'drain', { signal }), onceEmitted(stream, 'close', { signal })])
  } finally {
    clearTimeout(stalled)
    ending.abort()
  }
  if (stream.destroyed) throw new Error('The receiver of the export has disconnected.')
}
