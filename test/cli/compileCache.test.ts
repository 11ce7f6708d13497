/** Tests where the compiled program is kept, with the function of Node.js 22 replaced. */
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'

interface CompileCache {
  enableCompileCache(nodeModule: { enableCompileCache?(folder: string): { directory?: string } }, env?: NodeJS.ProcessEnv): boolean
}

const { enableCompileCache } = createRequire(import.meta.url)('../../bin/compileCache.js') as CompileCache
const home = mkdtempSync(join(tmpdir(), 'coffer-cache-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const enable = vi.fn((directory: string) => ({ directory }))
const enabledIn = (env: NodeJS.ProcessEnv): string | undefined => {
  enable.mockClear()
  const isEnabled = enableCompileCache({ enableCompileCache: enable }, env)
  expect(isEnabled).toBe(enable.mock.calls.length === 1)
  return enable.mock.calls[0]?.[0]
}

describe('the compiled program', () => {
  it('is kept in the folder for caches', () => {
    expect(enabledIn({ HOME: home })).toBe(join(home, '.cache/coffer'))
    expect(enabledIn({ HOME: '/absent', XDG_CACHE_HOME: home })).toBe(join(home, 'coffer'))
    expect(enabledIn({ HOME: home, XDG_CACHE_HOME: 'relative' })).toBe(join(home, '.cache/coffer'))
  })

  it('is not kept below a folder that is absent', () => {
    expect(enabledIn({ HOME: '/absent' })).toBeUndefined()
    expect(enabledIn({ HOME: home, XDG_CACHE_HOME: '/absent' })).toBeUndefined()
  })

  it.skipIf(process.getuid?.() !== 0)('is not read from a folder of another user', () => {
    chownSync(home, 12_345, 12_345)
    expect(enabledIn({ HOME: home })).toBeUndefined()
    chownSync(home, 0, 0)
  })

  it('is not kept by a Node.js that cannot, or where it cannot be written', () => {
    expect(enableCompileCache({}, { HOME: home })).toBe(false)
    expect(enableCompileCache({ enableCompileCache: () => ({}) }, { HOME: home })).toBe(false)
  })
})
