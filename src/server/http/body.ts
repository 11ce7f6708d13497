/** Reading a request's body: bounded, in one piece. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Failure } from '../../store/model/failure.js'

/**
 * The body as text. Refuses more than `limitMb` megabytes with `payload-too-large`, leaving unread what the client
 * still sends; bytes that are not UTF-8, and a body that ends early, with `invalid-request-structure`.
 */
export function readBody(request: IncomingMessage, limitMb: number): Promise<string> {
  const limit = limitMb * 1024 * 1024
  const tooLarge = (): Failure =>
    new Failure('payload-too-large', `The body is larger than ${limitMb} MB.`, { limitMb })
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limit) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let chunks: Buffer[] | undefined
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) {
        request.off('data', onData)
        request.pause()
        reject(tooLarge())
        return
      }
      if (first === undefined) first = chunk
      else (chunks ??= [first]).push(chunk)
    }
    request.on('data', onData)
    request.on('end', () => {
      const whole = chunks === undefined ? first : Buffer.concat(chunks)
      if (whole === undefined) resolve('')
      // Read regardless, such bytes would be kept as other characters than were sent.
      else if (!isUtf8(whole)) reject(new Failure('invalid-request-structure', 'The body is not valid UTF-8.'))
      else resolve(whole.toString('utf8'))
    })
    const endEarly = (): void => reject(new Failure('invalid-request-structure', 'The body ended early.'))
    request.on('error', endEarly)
    request.on('close', () => {
      if (!request.complete) endEarly()
    })
  })
}
