/** Values that a page does not wait for. */
import { describe, expect, it } from 'vitest'
import { soon } from '../../../../src/server/pages/console/soon.js'

describe('a value', () => {
  it('is returned if it is ready', async () => {
    expect(await soon(Promise.resolve(7))).toBe(7)
  })

  it('is left out if it takes longer, and its later failure is ignored', async () => {
    let fail: (error: Error) => void = () => undefined
    const late = new Promise<number>((_, reject) => {
      fail = reject
    })
    expect(await soon(late)).toBeUndefined()
    fail(new Error('too late'))
  })

  it('that fails at once fails the page', async () => {
    await expect(soon(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  })
})
