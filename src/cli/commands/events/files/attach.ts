/** Local files that are sent with a call. */
import { STDIN } from '../../../terminal/input/text.js'
import { createReadStream, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { lookup } from 'mime-types'
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { FRAME, fileFrames, messageFrame } from '../../../../server/base/frames.js'
import type { Context } from '../../../command.js'
import { CommandError, usageError } from '../../../framework/exit.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { abortOnInterrupt, interruption, untilInterrupted, type Interruption } from '../../../client/interruption.js'
import { bytes } from '../../../terminal/output/format.js'

interface AttachedPath {
  path: string
  fileName: string
  type: string
}

/**
 * Returns the files of `--attach`, with media types from their names.
 * @throws CommandError 5 for a missing file, 2 for a path that is not a file
 */
export function attachedPaths(words: readonly string[]): AttachedPath[] {
  return words.map((word) => {
    if (word === STDIN) throw usageError('--attach takes a file, whose name is stored with it, not stdin', 'Save the content to a file first, or use a path that starts with ./')
    const path = resolve(word)
    let isFile: boolean
    try {
      isFile = statSync(path).isFile()
    } catch (cause) {
      const why = errorMessage(cause)
      throw new CommandError(`${word} cannot be read: ${why}`, { exit: 5, cause })
    }
    if (!isFile) throw usageError(`--attach takes a file, but ${word} is not one`)
    const fileName = basename(path)
    const type = lookup(fileName)
    return { path, fileName, type: type === false ? 'application/octet-stream' : type }
  })
}

/**
 * Calls a method with files: sends their paths to a local node, else their bytes with a progress bar. Ctrl-C during the
 * upload attaches nothing; a local node may still finish.
 * @param undone what did not happen after Ctrl-C: `No event was created`
 * @throws like `NodeClient.call`; CommandError 130 after Ctrl-C
 */
export async function callWithFiles(
  { out }: Pick<Context, 'out'>,
  client: NodeClient,
  { method, params, as, files, undone }: { method: string; params: Record_; as: Authority; files: readonly AttachedPath[]; undone: string },
): Promise<Record_> {
  if (files.length === 0) return client.call(method, params, as)
  const { transfers } = client
  if (transfers === undefined) return callLocally(client, method, { ...params, files }, as)
  const total = files.reduce((sum, { path }) => sum + statSync(path).size, 0)
  const bar = out.progress('sending', total, bytes)
  let sent = 0
  const send = (stopping: Interruption): Promise<Record_> => {
    const frames = framesOf({ ...as, params }, files, (count) => {
      sent += count
      bar.advance(count)
    })
    return transfers.send(method, abortOnInterrupt(frames, stopping, 'Interrupted.'))
  }
  const interrupted = (): CommandError =>
    new CommandError(`Interrupted after ${bytes(sent)} of ${bytes(total)}. ${undone}.`, { exit: 130, hint: 'Run the same command again; it sends the files from the beginning.' })
  return untilInterrupted(send, interrupted).finally(() => bar.end())
}

/** Calls a node that reads the files itself. */
async function callLocally(client: NodeClient, method: string, params: Record_, as: Authority): Promise<Record_> {
  const stopping = interruption()
  try {
    const answer = await stopping.or(client.call(method, params, as))
    if (answer !== 'interrupted') return answer
    throw new CommandError('Interrupted. The node may still finish: it reads the files itself.', { exit: 130, hint: ['Check before you run the command again', 'events', 'list', '--limit', '3'] })
  } finally {
    stopping.end()
  }
}

async function* framesOf(head: unknown, files: readonly AttachedPath[], onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  yield messageFrame(FRAME.asked, head)
  for (const { path, fileName, type } of files) {
    const content = createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>
    yield* fileFrames({ fileName, type }, content, onBytes)
  }
  yield messageFrame(FRAME.done, {})
}
