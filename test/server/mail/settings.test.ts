/** Settings that disable kinds of mail individually or together. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, type ConfigSources } from '../../../src/server/config/config.js'
import { homes } from '../../support/nodes/home.js'

const { folder } = homes()
const kinds = ['welcome', 'resetPassword', 'verifyEmail', 'mfaChange'] as const

function enabled(sources: ConfigSources): boolean[] {
  const config = loadConfig(sources)
  return kinds.map((kind) => config.get(`services.email.enabled.${kind}`))
}

async function file(text: string): Promise<string> {
  const path = join(await folder(), 'config.toml')
  await writeFile(path, text)
  return path
}

describe('services.email.enabled', () => {
  it('is true by default and can be set for each kind', async () => {
    expect(enabled({})).toEqual([true, true, true, true])
    expect(enabled({ file: await file('[services.email.enabled]\nwelcome = false') })).toEqual([false, true, true, true])
  })

  it('can be set for all kinds in every source', async () => {
    const off = [false, false, false, false]
    expect(enabled({ file: await file('[services.email]\nenabled = false') })).toEqual(off)
    expect(enabled({ file: await file('services.email.enabled = false') })).toEqual(off)
    expect(enabled({ env: { COFFER_SET_SERVICES_EMAIL_ENABLED: 'false' } })).toEqual(off)
    expect(enabled({ flags: { 'services.email.enabled': false } })).toEqual(off)
    expect(
      enabled({ file: await file('services.email.enabled = false'), env: { COFFER_SET_SERVICES_EMAIL_ENABLED: 'true' } }),
    ).toEqual([true, true, true, true])
    expect(
      enabled({ file: await file('services.email.enabled = false'), flags: { 'services.email.enabled.mfaChange': true } }),
    ).toEqual([false, false, false, true])
  })

  it.each([
    ['services.email.enabled = 5'],
    ['services.email.enabled = "maybe"'],
    ['services.email = false'],
    ['services = false'],
    ['http = false'],
    ['nothing = false'],
  ])('refuses %s', async (text) => {
    const path = await file(text)
    expect(() => loadConfig({ file: path })).toThrow(/a group of settings|not a setting/)
  })

  it('names the environment variable of an invalid value', () => {
    expect(() => loadConfig({ env: { COFFER_SET_SERVICES_EMAIL_ENABLED: 'x' } })).toThrow('COFFER_SET_SERVICES_EMAIL_ENABLED')
    expect(() => loadConfig({ env: { COFFER_SET_HTTP: 'false' } })).toThrow('COFFER_SET_HTTP')
  })
})
