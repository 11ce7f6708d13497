import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { APP, diary, gist, heart, keyOf, pollOf } from '../../../support/people/accessRequests.js'
import { startTestNode } from '../../../support/nodes/node.js'
import type { TestNode } from '../../../support/nodes/node.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>

let home: TestHome
let running: TestNode
/** Key of the current test's own request. */
let key: string
const choice = { allowUserChoice: true, mandatory: ['heart'], optIn: ['diary'] }

beforeAll(async () => {
  home = await testHome('ana-lovelace', 'ben-babbage', 'carl-gauss')
})
afterAll(() => home.remove())

describe('requests', () => {
  it.each(['list', 'show abcdef', 'approve abcdef', 'refuse abcdef'])('%s: exits 7 without a running node, and suggests coffer start', async (words) => {
    const { code, out, err } = await home.run(`requests ${words}`)
    expect([code, out]).toEqual([7, ''])
    expect(err).toContain('coffer start')
  })
})

describe('requests of a running node', () => {
  beforeAll(async () => {
    running = await startTestNode({ appList: { 'known-app': { displayName: { en: 'Known', fr: 'Connue' } } } }, { home: home.home })
  })
  afterAll(() => running.stop())
  beforeEach(async () => {
    key = await keyOf(running, { requestedPermissions: [heart, diary], expireAfter: 30 * 86_400, token: 'fixed-needle' })
  })
  const status = async (): Promise<unknown> => gist(await pollOf(running, key))[1]
  const ana = '--user ana-lovelace'

  it('are listed while pending', async () => {
    const decided = await keyOf(running)
    await home.json(`requests refuse ${decided}`)
    const piped = await home.run('requests list')
    expect(piped.out).toMatch(new RegExp(`^${key}\t${APP}\t\\d{4}-\\d\\d-\\d\\dT[\\d:.]+[+-]\\d\\d:\\d\\d\t\\d{4}-\\d\\d-\\d\\dT[\\d:.]+[+-]\\d\\d:\\d\\d\t2 permissions$`, 'm'))
    expect(piped.out).not.toContain(decided)
    expect((await home.run('requests list -q')).out.split('\n')).toContain(key)
    const { requests } = (await home.json('requests list')) as { requests: Json[] }
    expect(requests.find((request) => request['key'] === key)).toMatchObject({ requestingAppId: APP, status: 'NEED_SIGNIN' })
    expect(JSON.stringify(requests)).not.toContain('needle')
  })

  it('are shown with the texts of the web page', async () => {
    const { code, out, err } = await home.run(`requests show ${key} ${ana}`)
    expect(code).toBe(0)
    expect(out.split('\n')).toEqual([
      `${APP} asks for access to the account ana-lovelace`,
      `The operator of this service does not know this app: it calls itself ${APP}, which is not verified.`,
      '',
      'The app asks for all of this or nothing. It will be able to:',
      '  - read “Heart” (does not exist yet: it will be created; heart)',
      '  - read, add to and modify “Diary” (does not exist yet: it will be created; diary)',
      'How long: 30 days.',
      '',
    ])
    expect(err).toContain(`coffer requests approve ${key} --user ana-lovelace`)
    expect((await home.run(`requests show ${key.slice(0, 6)} ${ana} -q`)).out).toBe(`${key}\n`)
  })

  it('are shown in another language, with the configured name of the app', async () => {
    const known = await keyOf(running, { requestingAppId: 'known-app', requestedPermissions: [{ streamId: '*', level: 'read' }] })
    const { consent } = await home.json(`requests show ${known} ${ana} --language fr`)
    expect(consent).toMatchObject({ title: 'Connue demande l’accès au compte ana-lovelace', rows: [{ what: 'lire toutes vos données' }] })
  })

  it('are accepted with --yes', async () => {
    const { code, out, err } = await home.run(`requests approve ${key} ${ana} --yes -q`)
    expect(code).toBe(0)
    expect(err).not.toContain('needle')
    const { accesses } = (await home.json(`accesses list ${ana} --type app`)) as { accesses: Json[] }
    expect(accesses).toMatchObject([{ id: out.trim(), name: APP, token: 'fixed-needle' }])
    expect(await status()).toBe('ACCEPTED')
    await home.json(`accesses revoke ${out.trim()} ${ana}`)
  })

  it('are accepted only after a confirmation', async () => {
    const no = await home.run(`requests approve ${key} ${ana}`, { tty: true, stdin: 'n\n' })
    expect([no.code, await status()]).toEqual([130, 'NEED_SIGNIN'])
    const unconfirmed = await home.run(`requests approve ${key} ${ana}`)
    expect([unconfirmed.code, await status()]).toEqual([2, 'NEED_SIGNIN'])
    expect(unconfirmed.err).toContain('--yes')
    const yes = await home.run(`requests approve ${key} ${ana}`, { tty: true, stdin: 'y\n' })
    expect([yes.code, await status()]).toEqual([0, 'ACCEPTED'])
    expect(yes.err).toContain('read “Heart”')
  })

  it('are accepted in part when the app allows a choice', async () => {
    const choosable = { requestingAppId: 'choosy-app', requestedPermissions: [heart, diary], consent: choice }
    const permissionsOf = async (...words: string[]): Promise<unknown> => {
      const line = ['requests', 'approve', await keyOf(running, choosable), '--user', 'ben-babbage', '--yes', ...words]
      return ((await home.json(line))['access'] as Json)['permissions']
    }
    expect(await permissionsOf()).toMatchObject([{ streamId: 'heart' }])
    expect(await permissionsOf('--also', 'diary')).toMatchObject([{ streamId: 'heart' }, { streamId: 'diary' }])
    expect(await permissionsOf('--also', 'diary', '--without', 'diary')).toMatchObject([{ streamId: 'heart' }])
    const withBoxes = (await home.run(`requests show ${await keyOf(running, choosable)} --user ben-babbage`)).out
    expect(withBoxes).toContain('[x] read “Heart”')
    expect(withBoxes).toContain('[ ] read, add to and modify “Diary”')
    expect(withBoxes).toContain('required')
  })

  it.each([
    [['--without', 'other'], 'does not request'],
    [['--without', 'heart'], 'allows no choice'],
  ])('are not accepted with %j', async (words, says) => {
    const { code, err } = await home.run(['requests', 'approve', key, '--user', 'ana-lovelace', '--yes', ...words])
    expect([code, await status()]).toEqual([2, 'NEED_SIGNIN'])
    expect(err).toContain(says)
  })

  it('that can only be refused suggest requests refuse', async () => {
    const managed = await keyOf(running, { actAs: 'allow', actAsManagedOnly: true })
    const { code, err } = await home.run(`requests approve ${managed} ${ana}`)
    expect(code).toBe(1)
    expect(err).toContain(`coffer requests refuse ${managed}`)
  })

  it('are refused with a reason that the app receives', async () => {
    await home.json(['requests', 'refuse', key, '--reason', 'ask for less'])
    const { status, body } = await pollOf(running, key)
    expect([status, body]).toEqual([403, expect.objectContaining({ reasonId: 'USER_DENIED', message: 'ask for less' })])
    expect((await home.run(`requests approve ${key} ${ana} --yes`)).code).toBe(1)
  })

  it.each(['show', 'approve', 'refuse'])('%s: exits 5 for an unknown key', async (verb) => {
    for (const unknown of ['nothing-known', key.slice(0, 5)]) {
      expect((await home.run(`requests ${verb} ${unknown}`)).code).toBe(verb === 'refuse' || unknown === 'nothing-known' ? 5 : 2)
      expect((await home.run(`requests ${verb} ${unknown} ${verb === 'refuse' ? '' : ana}`)).code).toBe(5)
    }
  })

  describe('with consents to other accounts', () => {
    const ben = '--user ben-babbage'
    let links: string[]
    beforeEach(async () => {
      links = []
      for (const title of ['Study', 'Survey']) {
        const about = ['--title', title, '--description', 'D', '--consent', 'C', '--permission', 'diary:read']
        const { event } = await home.json(['consents', 'links', 'create', '--user', 'ana-lovelace', ...about])
        links.push(String(((event as Json)['content'] as Json)['capabilityUrl']))
      }
      const [study, survey] = links
      const cmcInvites = [{ capabilityUrl: study, mandatory: true }, { capabilityUrl: survey }]
      key = await keyOf(running, { requestingAppId: `app-${String(links[0]).slice(8, 20)}`, cmcInvites })
    })

    it('are shown with the numbers of the consents, without their links', async () => {
      const { out } = await home.run(`requests show ${key} ${ben}`)
      expect(out).toContain('1. ana-lovelace asks for a consent (required by the app)')
      expect(out).toContain('2. ana-lovelace asks for a consent (optional)')
      expect(out).toContain('  | Study')
      expect(out).toMatch(/^ {4}- read “[Dd]iary”/m)
      expect(out).not.toContain(new URL(String(links[0])).username)
    })

    it('are approved with accepted and declined consents, which the app receives', async () => {
      const { cmcInvites } = await home.json(`requests approve ${key} ${ben} --decline 2 --yes`)
      expect(cmcInvites).toEqual([{ acceptEventId: expect.any(String) as string, dataGrantAccessId: expect.any(String) as string }, { declined: true }])
      expect((await pollOf(running, key)).body['cmcInvites']).toEqual(cmcInvites)
    })

    it('are approved after a prompt for each consent', async () => {
      const { code, err } = await home.run(`requests approve ${key} ${ben} --agree 2`, { tty: true, stdin: 'y\n' })
      expect([code, await status()]).toEqual([0, 'ACCEPTED'])
      expect(err).toContain('Consent 1 was given; the other account has the access')
      const answers = (await pollOf(running, key)).body['cmcInvites'] as Json[]
      expect(answers.every((one) => typeof one['dataGrantAccessId'] === 'string')).toBe(true)
    })

    it.each([
      ['--yes', '--agree 2 or --decline 2'],
      ['', '--agree 2 or --decline 2'],
      ['--agree 3 --yes', 'Unknown consent "3"'],
      ['--agree 2 --decline 2 --yes', 'both accepted and declined'],
      ['--decline 1 --agree 2 --yes', 'requires consent 1'],
      ['--agree 2 --without 2:diary --yes', 'allows no choice'],
      ['--agree 2 --without 2:steps --yes', 'does not request "steps"'],
      ['--agree 2 --without 3:diary --yes', 'does not request "3:diary"'],
    ])('are not approved with %j', async (words, says) => {
      const { code, err } = await home.run(`requests approve ${key} ${ben} ${words}`)
      expect([code, await status()]).toEqual([2, 'NEED_SIGNIN'])
      expect(err).toContain(says)
    })

    it('are refused when a mandatory consent cannot be given', async () => {
      await home.json(['consents', 'accept', String(links[0]), '--user', 'carl-gauss', '--yes'])
      const { code, err } = await home.run(`requests approve ${key} ${ben} --decline 2 --yes`)
      expect([code, await status()]).toEqual([1, 'REFUSED'])
      expect(err).toContain('cmc-capability-consumed')
      expect((await pollOf(running, key)).body).toMatchObject({ reasonId: 'MANDATORY_CONSENT_FAILED' })
    })
  })
})
