/** Failures sent to clients when the disk takes no files. */
import { expect, it } from 'vitest'
import { diskFailure } from '../../../src/store/leveldb/filesOnDisk.js'

const failing = (code: string): Error => Object.assign(new Error(code), { code })

it.each([
  ['ENOSPC', 'storage-full'],
  ['EDQUOT', 'storage-full'],
  ['EIO', 'read-only'],
  ['EROFS', 'read-only'],
])('of %s is the failure %s', (code, id) => expect(diskFailure(failing(code))).toMatchObject({ id }))

it('of anything else is what it was', () => {
  const error = failing('EMFILE')
  expect(diskFailure(error)).toBe(error)
})
