import type { IncomingMessage } from 'node:http'

/** Returns the text of an answer. @throws Error when it has more than `max` bytes; closes the connection then */
export async function responseText(response: IncomingMessage, max: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > max) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
