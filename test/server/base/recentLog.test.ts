/** The latest records of the log in memory. */
import { expect, it } from 'vitest'
import { createLog, joinLogs } from '../../../src/server/base/log.js'
import { createRecentLog } from '../../../src/server/base/recentLog.js'
import { Secret } from '../../../src/store/model/secret.js'

it('returns the latest records of a level or higher, without secrets', () => {
  const lines: string[] = []
  const recent = createRecentLog('info', () => 7)
  const log = joinLogs(createLog('warn', () => 7, (line) => void lines.push(line)), recent.log)
  log.debug('hidden')
  log.info('opened', { url: 'https://token@example.org/?auth=abc', key: new Secret('xyz') })
  log.warn('late')
  log.error('failed', { text: 'x'.repeat(5000) })
  expect(recent.latest('info', 10).map(({ message }) => message)).toEqual(['failed', 'late', 'opened'])
  expect(recent.latest('warn', 1)).toEqual([{ time: 7, level: 'error', message: 'failed', fields: expect.stringMatching(/^.{1001}$/) as string }])
  expect(JSON.stringify(recent.latest('debug', 10))).not.toMatch(/token@|abc|xyz/)
  expect(lines).toHaveLength(2)
})

it('is bounded', () => {
  const recent = createRecentLog('info', () => 0)
  for (let n = 0; n < 5000; n++) recent.log.info(String(n))
  const latest = recent.latest('info', Infinity)
  expect([latest.length, latest[0]?.message]).toEqual([1000, '4999'])
})
