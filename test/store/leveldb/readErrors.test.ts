import { beforeEach, describe, expect, it, vi } from 'vitest'
import { inspect, soundDatabase } from './damaging.js'

/** File that the file system refuses to read, and the error code. */
const refused = { name: 'none', code: 'EIO' }

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const refuse = (path: unknown): void => {
    if (String(path).endsWith(refused.name)) throw Object.assign(new Error(refused.code), { code: refused.code })
  }
  return {
    ...real,
    readFile: async (path: string) => {
      refuse(path)
      return real.readFile(path)
    },
    open: async (path: string, flags: string) => {
      const handle = await real.open(path, flags)
      const read = handle.read.bind(handle)
      return Object.assign(handle, {
        read: async (buffer: Buffer, offset: number, length: number, position: number) => {
          refuse(path)
          return read(buffer, offset, length, position)
        },
      })
    },
  }
})

const sound = soundDatabase()
beforeEach(() => {
  refused.name = 'none'
})

describe('a file that cannot be read', () => {
  it.each(['EIO', 'EUCLEAN', 'EBADMSG', 'ENODATA'])('because of the disk (%s) is reported as damaged', async (code) => {
    refused.code = code
    for (const name of ['CURRENT', sound.manifest, sound.log, ...sound.tables]) {
      refused.name = name
      expect((await inspect(sound.path)).damage).toEqual([{ file: name, what: `cannot be read (${code})` }])
    }
  })

  it('for other reasons is not reported as damaged', async () => {
    refused.code = 'EACCES'
    for (const name of ['CURRENT', sound.manifest, sound.log, ...sound.tables]) {
      refused.name = name
      await expect(inspect(sound.path)).rejects.toThrow('EACCES')
    }
  })
})
