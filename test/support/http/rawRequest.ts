/** Requests by a bare socket: what no client library would send. */
import { connect } from 'node:net'
import { connect as connectSecure } from 'node:tls'

export interface RawAnswer {
  status: number
  /** Header lines as sent, by lower-case name; the last counts. */
  headers: Record<string, string>
  text: string
  /** The body as JSON, empty when it is not. */
  body: Record<string, unknown>
}

/** Sends bytes to a port of this machine and reads until the connection ends; over TLS where `ca` says whom to trust. */
export function rawRequest(port: number, bytes: string | Buffer, ca?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const send = (): boolean => socket.write(bytes)
    const socket = ca === undefined ? connect(port, '127.0.0.1', send) : connectSecure({ port, host: '127.0.0.1', ca }, send)
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk) => void chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))))
  })
}

/** A request of one target with these header lines; the connection ends with the answer. */
export const rawTarget = (port: number, target: string, lines: string[], verb = 'GET'): Promise<RawAnswer> =>
  rawRequest(port, [`${verb} ${target} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'))

function parse(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const payload = answer.slice(end + 4)
  const text = headers['transfer-encoding'] === 'chunked' ? dechunk(payload) : payload
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    // Not every answer is JSON.
  }
  return { status: Number(first.split(' ')[1]), headers, text, body }
}

function dechunk(payload: string): string {
  const bytes = Buffer.from(payload, 'utf8')
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (line < 0 || !(size > 0)) return Buffer.concat(parts).toString('utf8')
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
