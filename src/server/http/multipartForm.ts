/** Reads forms with files, as browsers send them: fields of text first, then files, which are written to disk as they arrive. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Context } from '../call/context.js'
import { assertFileCount, mediaType, receive, type ReceivedFile } from '../dispatch/uploads.js'
import { Failure } from '../../store/model/failure.js'
import { malformed, readParts, type BodyPart } from './multipartParts.js'

/** A form with files. Its reader removes the files that no event refers to. */
interface MultipartForm {
  form: URLSearchParams
  files: ReceivedFile[]
}

/** Maximum size of all fields of text together, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_PARTS = 2000

/**
 * Reads a form with files. `assertAccepted` gets the fields that precede the first file before any byte of it is stored. When it
 * rejects, everything written to disk is removed, and the rest of the body remains unread.
 * @throws Failure `invalid-request-structure`, `payload-too-large`, `storage-full`; errors of `assertAccepted`
 */
export async function readMultipartForm(
  node: Context,
  request: IncomingMessage,
  assertAccepted: (form: URLSearchParams) => void,
): Promise<MultipartForm> {
  const fields: Promise<[string, string]>[] = []
  const writing: Promise<ReceivedFile>[] = []
  const checks: Promise<void>[] = []
  const size = { bytes: 0 }
  try {
    let accepted: Promise<void> | undefined
    let parts = 0
    await readParts(request, (part) => {
      parts += 1
      if (parts > MAX_PARTS) throw malformed('The form has too many fields.')
      if (part.fileName === undefined && part.type !== 'application/octet-stream') {
        const field = textOf(part, size)
        field.catch(part.fail)
        return void fields.push(field)
      }
      accepted ??= Promise.all(fields).then((known) => assertAccepted(new URLSearchParams(known)))
      if (part.fileName === undefined || part.fileName === '') {
        const empty = assertEmpty(accepted, part)
        empty.catch(part.fail)
        return void checks.push(empty)
      }
      assertFileCount(node, writing.length + 1)
      const file = accepted.then(() => fileOf(node, part))
      file.catch(part.fail)
      writing.push(file)
    })
    const form = new URLSearchParams(await Promise.all(fields))
    await (accepted ?? assertAccepted(form))
    await Promise.all(checks)
    return { form, files: await Promise.all(writing) }
  } catch (error) {
    for (const one of await Promise.allSettled(writing)) {
      if (one.status === 'fulfilled') await node.store.blobs.drop(one.value.blob)
    }
    throw error
  }
}

async function textOf({ name = '', bytes }: BodyPart, size: { bytes: number }): Promise<[string, string]> {
  const chunks: Buffer[] = []
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    size.bytes += chunk.length
    if (size.bytes > MAX_TEXT_BYTES) throw new Failure('payload-too-large', 'The fields of the form are too large.')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks)
  if (!isUtf8(text)) throw malformed('A field is not valid UTF-8.')
  return [name, text.toString('utf8')]
}

/** Browsers send an empty file without a name for an input without a file. */
async function assertEmpty(accepted: Promise<void>, { bytes }: BodyPart): Promise<void> {
  await accepted
  for await (const chunk of bytes as AsyncIterable<Buffer>) if (chunk.length > 0) throw malformed('A file has no name.')
}

async function fileOf(node: Context, { fileName = '', type, bytes }: BodyPart): Promise<ReceivedFile> {
  return { fileName: fileName.toWellFormed(), type: mediaType(type), blob: await receive(node, bytes as AsyncIterable<Buffer>) }
}
