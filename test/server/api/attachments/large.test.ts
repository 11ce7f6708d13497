/** Upload and download of a large file in bounded memory. Part of the long programme: LONG=1. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { attachmentsIn, MULTIPART } from '../../../support/http/multipart.js'
import { homes } from '../../../support/nodes/home.js'
import { request as ask } from '../../../support/nodes/node.js'
import { readFileSync } from 'node:fs'
import { nodeProcesses } from '../../../crash/process.js'

const MB = 1024 * 1024
const SIZE_MB = 300
const MAX_GROWTH_MB = 100

const { home } = homes()
const startProcess = nodeProcesses()

/** Returns the peak resident memory of a process, in bytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

it.runIf(process.env['LONG'] === '1' && process.platform === 'linux')(
  `a file of ${SIZE_MB} MB does not increase the memory of the node by more than ${MAX_GROWTH_MB} MB`,
  { timeout: 300_000 },
  async () => {
    const places = await home()
    const child = await startProcess(places.home, { 'uploads.maxSizeMb': SIZE_MB })
    const { url = '' } = await child.open()
    const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
    const token = String((await ask(`${url}users`, { body })).body['token'])
    await ask(`${url}alice/streams`, { token, body: { id: 's', name: 's' } })
    const before = peakOf(child.pid)

    const block = Buffer.alloc(MB, 'coffer')
    const sent = createHash('sha256')
    const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const upload = request(`${url}alice/events`, { method: 'POST', headers: { ...MULTIPART, authorization: token } }, (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve(JSON.parse(text) as Record<string, unknown>))
      })
      upload.on('error', reject)
      const line = '--boundary-of-coffer-tests'
      upload.write(`${line}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`)
      const end = `\r\n${line}\r\nContent-Disposition: form-data; name="e"\r\n\r\n{"streamIds":["s"],"type":"a/b"}\r\n${line}--\r\n`
      let blocks = 0
      const pump = (): void => {
        while (blocks < SIZE_MB) {
          block.writeUInt32BE(blocks++)
          sent.update(block)
          if (!upload.write(Buffer.from(block))) return void upload.once('drain', pump)
        }
        upload.end(end)
      }
      pump()
    })
    const [file] = attachmentsIn(answer)
    expect(file?.size).toBe(SIZE_MB * MB)

    const { id } = answer['event'] as { id: string }
    const response = await fetch(`${url}alice/events/${id}/${file?.id}?readToken=${file?.readToken}`)
    const received = createHash('sha256')
    // A slow reader: unread bytes must stay on disk, not in memory.
    let chunks = 0
    for await (const chunk of response.body ?? []) {
      received.update(chunk as Uint8Array)
      if (chunks++ % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(received.digest('hex')).toBe(sent.digest('hex'))
    expect((peakOf(child.pid) - before) / MB).toBeLessThan(MAX_GROWTH_MB)
    await child.kill()
  },
)
