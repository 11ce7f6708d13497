/**
 * Draft of an account archive that is sent as a ZIP file while it is written. Unpacked, it is the folder of `coffer users export`,
 * without encryption.
 */
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { SourceChanged, type Member } from '../../store/backup/archive.js'
import { ARCHIVE_VERSION, MANIFEST, proved, type Manifest } from '../../store/backup/manifest.js'
import type { ZipWriter } from '../base/zip.js'
import type { AccountDraft } from './exportContext.js'

type Details = Parameters<AccountDraft<Manifest>['addNamed']>[2]

/** Creates a draft below a folder of the ZIP file. The caller ends the ZIP file. */
export function zipDraft(zip: ZipWriter, folder: string): AccountDraft<Manifest> {
  const members: Member[] = []
  const placed = new Set<string>()

  /** Adds a file, and its member to the index. */
  async function addMember(file: string, content: AsyncIterable<Uint8Array>, about: Details, digest?: string): Promise<number> {
    const hash = createHash('sha256')
    let bytes = 0
    let found = ''
    async function* checked(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
      found = hash.digest('hex')
      if (digest !== undefined && found !== digest) throw new SourceChanged(`The content does not match the digest ${digest}.`)
    }
    await zip.add(`${folder}/${file}`, checked())
    members.push({ file, ...about, bytes, digest: found, stored: bytes })
    return bytes
  }

  return {
    async addNamed(file, content, about) {
      await addMember(file, content, about)
    },
    async addStream(content, digest, bytes, about) {
      const file = `members/${digest.slice(0, 2)}/${digest}`
      if (placed.has(file)) return 0
      await addMember(file, content(), about, digest)
      placed.add(file)
      return bytes
    },
    async finish(facts) {
      const index = Buffer.from(members.map((member) => `${JSON.stringify(member)}\n`).join(''))
      const packed = deflateRawSync(index, { level: 3 })
      const bytes = members.reduce((sum, member) => sum + member.bytes, 0)
      const manifest = proved(
        {
          archive: 'coffer',
          version: ARCHIVE_VERSION,
          ...facts,
          name: folder,
          ...{ bytes, storedBytes: bytes, newBytes: bytes },
          members: members.length,
          index: { digest: createHash('sha256').update(index).digest('hex'), bytes: index.length, stored: packed.length },
        },
        undefined,
      )
      await zip.add(`${folder}/index`, once(packed))
      await zip.add(`${folder}/${MANIFEST}`, once(Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)))
      return manifest
    },
    drop: () => Promise.resolve(),
  }
}

/** Yields one chunk. */
export async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(chunk)
}
