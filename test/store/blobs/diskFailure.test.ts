/** Failures sent to clients when files cannot be written. */
import { expect, it } from 'vitest'
import { diskFailure } from '../../../src/store/leveldb/filesOnDisk.js'

const failing = (code: string): Error => Object.assign(new Error(code), { code })

it.each([
  ['ENOSPC', 'storage-full'],
  ['EDQUOT', 'storage-full'],
  ['EIO', 'read-only'],
  ['EROFS', 'read-only'],
])('maps the disk error %s to the failure %s', (code, id) => expect(diskFailure(failing(code))).toMatchObject({ id }))

it('returns any other error unchanged', () => {
  const error = failing('EMFILE')
  expect(diskFailure(error)).toBe(error)
})
