/** Local files that are sent with a call. */
import { createReadStream, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { lookup } from 'mime-types'
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { FRAME, fileFrames, messageFrame } from '../../../../server/base/frames.js'
import type { Context } from '../../../command.js'
import { CommandError, usageError } from '../../../framework/exit.js'
import type { Record_ } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { interruption, abortOnInterrupt } from '../../../client/interruption.js'
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
 * upload attaches nothing.
 * @throws like `NodeClient.call`; CommandError 130 after Ctrl-C
 */
export async function callWithFiles(
  { out }: Pick<Context, 'out'>,
  client: NodeClient,
  { method, params, as, files }: { method: string; params: Record_; as: Authority; files: readonly AttachedPath[] },
): Promise<Record_> {
  if (files.length === 0) return client.call(method, params, as)
  if (client.transfers === undefined) return client.call(method, { ...params, files }, as)
  const bar = out.progress('sending', files.reduce((sum, { path }) => sum + statSync(path).size, 0), bytes)
  const interrupt = interruption()
  try {
    const frames = framesOf({ ...as, params }, files, (count) => bar.advance(count))
    return await client.transfers.send(method, abortOnInterrupt(frames, interrupt, 'Cancelled; nothing was attached.'))
  } finally {
    interrupt.end()
    bar.end()
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
