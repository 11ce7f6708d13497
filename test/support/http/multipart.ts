/** Multipart bodies, byte for byte, and files of uploads on disk. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Answer, TestNode } from '../nodes/node.js'
import type { Stage } from './methodTable.js'

type Json = Record<string, unknown>

export interface Part {
  name?: string
  /** File name, which makes the part a file. */
  fileName?: string
  type?: string
  data: string | Uint8Array
  /** Header lines instead of the default ones. */
  headers?: string[]
}

const BOUNDARY = 'boundary-of-coffer-tests'

export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

/** Encodes a body. */
export function multipartBody(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const pieces: Uint8Array[] = []
  for (const { name = 'part', fileName, type, data, headers } of parts) {
    const disposition = `Content-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`
    const lines = headers ?? [disposition, ...(type === undefined ? [] : [`Content-Type: ${type}`])]
    pieces.push(Buffer.from(`--${BOUNDARY}\r\n${lines.join('\r\n')}\r\n\r\n`), Buffer.from(data), Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from(end)])
}

/** Returns the part with an event. */
export const eventPart = (event: unknown): Part => ({
  name: 'event',
  data: typeof event === 'string' ? event : JSON.stringify(event),
})

export const filePart = (fileName: string, data: string | Uint8Array, type = 'text/plain'): Part => ({
  name: 'file',
  fileName,
  type,
  data,
})

/** Sends a multipart body below the account of a stage. */
export async function sendParts(
  { node, username, owner }: Pick<Stage, 'node' | 'username' | 'owner'>,
  path: string,
  parts: readonly Part[],
  options: { token?: string | null; method?: string; query?: string } = {},
): Promise<Answer> {
  const { token = owner, method = 'POST', query = '' } = options
  const response = await fetch(`${node.url}${username}${path}${query}`, {
    method,
    headers: { ...MULTIPART, ...(token === null ? {} : { authorization: token }) },
    body: multipartBody(parts),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

export interface Attached {
  id: string
  fileName: string
  type: string
  size: number
  readToken: string
  integrity?: string
}

export const attachmentsIn = (body: Json): Attached[] =>
  ((body['event'] as Json | undefined)?.['attachments'] as Attached[] | undefined) ?? []

/** Creates an event with files; returns its id and its attachments. */
export async function attached(
  stage: Pick<Stage, 'node' | 'username' | 'owner'>,
  files: readonly Part[],
  event: Json = { streamIds: ['s'], type: 'note/txt', content: 'x' },
): Promise<{ id: string; files: Attached[] }> {
  const { status, body } = await sendParts(stage, '/events', [eventPart(event), ...files])
  if (status !== 201) throw new Error(`no event: ${JSON.stringify(body)}`)
  return { id: String((body['event'] as Json)['id']), files: attachmentsIn(body) }
}

/** Reads a file as bytes. */
export async function download(
  { node, username, owner }: Pick<Stage, 'node' | 'username' | 'owner'>,
  path: string,
  options: { token?: string | null; headers?: Record<string, string>; method?: string } = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const { token = owner, headers = {}, method = 'GET' } = options
  const response = await fetch(`${node.url}${username}${path}`, {
    method,
    headers: { ...headers, ...(token === null ? {} : { authorization: token }) },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

export const sha256 = (data: string | Uint8Array, encoding: 'hex' | 'base64' = 'base64'): string =>
  createHash('sha256').update(data).digest(encoding)

/** Returns the names of all files under `files/`, also temporary ones. */
export async function filesOnDisk({ places }: Pick<TestNode, 'places'>): Promise<string[]> {
  const entries = await readdir(places.files, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Returns the total size of attached files by the account. */
export async function attachedBytes(stage: Stage): Promise<unknown> {
  const { event } = await stage.arrange('events.getOne', { id: ':_system:attachedFiles' })
  return (event as Json)['content']
}
