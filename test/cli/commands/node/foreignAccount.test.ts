/** Commands of root on the home of another system account must not leave files that its node cannot open. */
import { chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'

const isRoot = process.geteuid?.() === 0
/** User id of `daemon`, which exists on each system. */
const OTHER = 1

describe.skipIf(!isRoot)(`the home of another system account${isRoot ? '' : ': only root can create one'}`, () => {
  let home: TestHome
  beforeAll(async () => {
    home = await testHome('ana-lovelace')
    for (const name of ['.', ...readdirSync(home.home, { recursive: true, encoding: 'utf8' })]) chownSync(join(home.home, name), OTHER, OTHER)
  })
  afterAll(() => home.remove())
  const owners = (): number[] => ['.', ...readdirSync(home.home, { recursive: true, encoding: 'utf8' })].map((name) => statSync(join(home.home, name)).uid)

  it.each(['users list', 'store check', 'start --port 0', 'store rekey --keep-key file', 'events list --user ana-lovelace', 'store repair'])(
    'is not opened for root by coffer %s',
    async (line) => {
      const { code, err } = await home.run(line)
      expect([code, err]).toEqual([4, expect.stringContaining('sudo -u daemon coffer')])
      expect(new Set(owners())).toEqual(new Set([OTHER]))
    },
  )

  it('keeps its owner when root changes settings', async () => {
    await home.json('config set http.port 4711')
    await home.json('backup schedule --to /srv/backups --every 1d')
    expect(new Set(owners())).toEqual(new Set([OTHER]))
    expect((await home.run('config get http.port')).out).toBe('4711\n')
  })
})
