/** Fetches an image from an address set by the operator; accepts only small images of known types. */

export interface Image {
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'])
const MAX_BYTES = 256 * 1024
const TIMEOUT_MS = 3000

/**
 * Fetches the image at a `data:`, `http:` or `https:` address.
 * @throws Error with the reason: another type, more than 256 KB, a redirect, or no complete answer in 3 seconds
 */
export async function imageAt(address: string, timeoutMs = TIMEOUT_MS): Promise<Image> {
  if (!/^(data|https?):/i.test(address)) throw new Error('the address is neither data:, http: nor https:')
  const response = await fetch(address, {
    headers: { Accept: [...TYPES].join(', ') },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  try {
    if (!response.ok) throw new Error(`the answer has status ${response.status}`)
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (!TYPES.has(type)) throw new Error(`unsupported image type "${type}"`)
    return { type, bytes: await shortBody(response) }
  } finally {
    await response.body?.cancel().catch(() => {})
  }
}

async function shortBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = new Error(`the image is larger than ${MAX_BYTES / 1024} KB`)
  if (Number(response.headers.get('content-length')) > MAX_BYTES) throw tooLarge
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) break
    const chunk = read.value
    size += chunk.length
    if (size > MAX_BYTES) {
      await reader?.cancel()
      throw tooLarge
    }
    chunks.push(chunk)
  }
  if (size === 0) throw new Error('the image is empty')
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
