/** Raw clients that send requests and read nothing, or a limited amount. */
import { connect, type Socket } from 'node:net'

/** Encodes a masked text frame with a zero mask. */
export function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  const size = payload.length < 126 ? Buffer.from([0x81, 0x80 | payload.length]) : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 255])
  return Buffer.concat([size, Buffer.alloc(4), payload])
}

/** Resolves when a client has read a text. */
export const seenBy = (socket: Socket, text: RegExp): Promise<void> =>
  new Promise((resolve) => {
    let seen = ''
    const read = (chunk: Buffer): void => {
      seen += chunk.toString('latin1')
      if (!text.test(seen)) return
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read)
  })

/** Connects a client that has sent bytes, and reads nothing. */
export function silentReader(port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(bytes)
  return socket
}

/** Encodes a request. */
export function wireRequest(line: string, token: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const more = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]
  return [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${token}`, ...more, '', text].join('\r\n')
}

/** Connects a raw websocket to the account of a user, which reads nothing after that. */
export async function stalledSocket(port: number, username: string, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const head = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
  socket.write(`GET /socket.io/?EIO=4&transport=websocket&auth=${token} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  await seenBy(socket, /101 Switching/)
  socket.write(frame(`40/${username},`))
  await seenBy(socket, new RegExp(`40/${username},\\{"sid"`))
  socket.pause()
  return socket
}
