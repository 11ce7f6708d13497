/** Tests of commands on a home with the settings of a platform, but without its key. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editConfigFile } from '../../../src/server/config/editFile.js'
import { testHome, type TestHome } from '../support/closedHome.js'

const SETTINGS = {
  'core.id': 'core-a',
  'core.url': 'https://a.example.org/',
  'platform.id': 'p1234567',
  'auth.adminAccessKey': 'admin key of the platform',
  'auth.filesReadTokenSecret': 'secret of read tokens',
  'service.name': 'Platform of tests',
  'service.serial': '1',
  'service.home': 'https://example.org/',
  'service.support': 'https://example.org/',
  'service.terms': 'https://example.org/',
  'service.eventTypes': 'https://example.org/types.json',
  'platform.etcd': ['http://127.0.0.1:1'],
}

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
  for (const [key, value] of Object.entries(SETTINGS)) editConfigFile(join(home.home, 'config.toml'), key, value)
})
afterAll(() => home.remove())

describe('settings of a platform without its key', () => {
  it('are reported with the commands to go on', async () => {
    const { code, err } = await home.run('cores list')
    expect(code).toBe(1)
    expect(err).toContain('its store does not contain the key of the platform')
    expect(err).toContain('coffer restore <backup>')
    expect(err).toContain(`coffer config unset platform.etcd --home ${home.home}`)
    expect(err).toContain(`coffer cores join --home ${home.home} <bundle>`)
  })

  it('no longer matter once the setting is removed', async () => {
    expect((await home.run('config unset platform.etcd')).code).toBe(0)
    expect(await home.run('users list -q')).toMatchObject({ code: 0, out: 'ana-lovelace\n' })
  })
})
