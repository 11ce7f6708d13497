/** Invitations in access requests, answered in a browser without scripts (docs/interface/access-requests.md#invitations). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accept, accessesOf, askAccess, consenting, pollOf, refuse, type Asked } from '../../support/people/authorize.js'
import { attach } from '../../support/people/delegations.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import type { Page, Visitor } from '../../support/people/visitor.js'
import { invite, newRequester, offering, relationsOf } from '../api/consents/consentFlow.js'

type Json = Record<string, unknown>

let node: TestNode
let clinic: Stage
let owner: string

beforeAll(async () => {
  node = await startTestNode()
  clinic = await newRequester(node)
  owner = await registerUser(node, 'alice')
})
afterAll(() => node.stop())

const linkOf = async (content: Json): Promise<string> => String((await invite(clinic, content)).content['capabilityUrl'])
const requestAccess = async (more: Json, ...invites: Json[]): Promise<Asked> => askAccess(node, { cmcInvites: invites, ...more })
const alice = (): Stage => ({ node, username: 'alice', owner }) as Stage
const on = (accessRequest: Asked, language = 'en'): Promise<Visitor> => consenting(node, 'alice', accessRequest, language)
const outcomeOf = async (accessRequest: Asked): Promise<Json> => (await pollOf(accessRequest)).body

/** Returns the field of a page with a name and a value. */
const field = ({ html }: Page, name: string, value: string): string =>
  [...html.matchAll(/<input\b[^>]*>/g)].map(([text]) => text).find((text) => text.includes(`name="${name}"`) && text.includes(`value="${value}"`)) ?? ''

describe('the page of a request with invitations', () => {
  const choice = { allowUserChoice: true, permissions: [{ streamId: 'diary', level: 'read', mandatory: true }, { streamId: 'mood', level: 'read', optIn: true }] }

  it('asks for an answer to each, preserves answers, and grants the accepted consents', async () => {
    const [study, survey] = [await linkOf(offering(choice)), await linkOf(offering({ title: { en: 'Survey' } }))]
    const accessRequest = await requestAccess({}, { capabilityUrl: study, mandatory: true }, { capabilityUrl: survey })
    const browser = await on(accessRequest)
    for (const text of ['Consents to other accounts', 'Dr A asks for a consent', `${clinic.username}@`, 'Survey', 'required by the app', 'optional', 'You agree to I agree']) {
      expect(browser.page.text).toContain(text)
    }
    expect(field(browser.page, 'consent-1', 'agree')).toMatch(/required(?=[^>]*>)/)
    expect(browser.page.html).not.toMatch(/type="radio"[^>]*checked/)
    const again = await browser.submit({ ...accept, 'consent-1': 'agree', 'consent-1-grant': ['diary', 'mood'] })
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('answer each consent')])
    expect(field(again, 'consent-1', 'agree')).toContain('checked')
    expect(field(again, 'consent-1-grant', 'mood')).toContain('checked')
    expect(await outcomeOf(accessRequest)).toMatchObject({ status: 'NEED_SIGNIN' })
    const done = await browser.submit({ ...accept, 'consent-1': 'agree', 'consent-1-grant': ['diary', 'mood'], 'consent-2': 'decline' })
    expect(done.text).toContain('You gave one consent to another account.')
    expect((await outcomeOf(accessRequest))['cmcInvites']).toEqual([expect.objectContaining({ acceptEventId: expect.any(String) as string }), { declined: true }])
    const [grant] = await relationsOf(alice())
    expect(grant?.access.permissions?.slice(0, 2)).toEqual([{ streamId: 'diary', level: 'read' }, { streamId: 'mood', level: 'read' }])
  })

  it('refuses the request if a mandatory consent is declined', async () => {
    const accessRequest = await requestAccess({ requestingAppId: 'app-declined' }, { capabilityUrl: await linkOf(offering()), mandatory: true })
    const browser = await on(accessRequest)
    const done = await browser.submit({ ...accept, 'consent-1': 'decline' })
    expect(done.text).toContain('You did not agree to something that the app requires.')
    expect(await outcomeOf(accessRequest)).toMatchObject({ status: 'REFUSED', reasonId: 'REFUSED_MANDATORY_CONSENT' })
  })

  it('allows to refuse without answering invitations', async () => {
    const accessRequest = await requestAccess({ requestingAppId: 'app-refused' }, { capabilityUrl: await linkOf(offering()) })
    const browser = await on(accessRequest)
    expect(browser.page.html).toMatch(/value="refuse"[^>]*formnovalidate/)
    await browser.submit(refuse)
    expect(await outcomeOf(accessRequest)).toMatchObject({ status: 'REFUSED', reasonId: 'USER_DENIED' })
  })

  it('reports an unreadable invitation and continues without it', async () => {
    const accessRequest = await requestAccess({ requestingAppId: 'app-without' }, { capabilityUrl: 'https://gone.example/link' })
    const browser = await on(accessRequest)
    expect(browser.page.text).toContain('The app will be notified that this consent could not be given.')
    expect(browser.page.html).not.toContain('type="radio"')
    const done = await browser.submit(accept)
    expect(done.text).toContain('One consent could not be given')
    expect((await outcomeOf(accessRequest))['cmcInvites']).toEqual([{ reason: 'cmc-handler-offer-read-failed' }])
  })

  it('explains an invalid choice', async () => {
    const permissions = [{ streamId: 'diary', level: 'read' }, { streamId: 'mood', level: 'read' }]
    const accessRequest = await requestAccess({ requestingAppId: 'app-nothing' }, { capabilityUrl: await linkOf(offering({ allowUserChoice: true, permissions })) })
    const browser = await on(accessRequest)
    const page = await browser.submit({ ...accept, 'consent-1': 'agree', 'consent-1-grant': null })
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Consent 1: Nothing is selected.')])
  })

  it.each([
    ['fr', 'Je ne consens pas', 'exigé par l’application'],
    ['de', 'Ich willige nicht ein', 'von der App verlangt'],
  ])('is available in %s', async (languageCode, ...texts) => {
    const url = await linkOf(offering({ title: { en: 'Study', fr: 'Étude', de: 'Studie' } }))
    const accessRequest = await requestAccess({ requestingAppId: `app-in-${languageCode}`, languageCode }, { capabilityUrl: url, mandatory: true })
    const { page } = await on(accessRequest, languageCode)
    for (const text of [...texts, languageCode === 'fr' ? 'Étude' : 'Studie']) expect(page.text).toContain(text)
  })

  it('escapes texts of others, of any length, and hides their links', async () => {
    const hostile = '<script>alert(1)</script>"\'><h1>\u202eevil'
    const content = offering({ title: { en: hostile }, description: { en: `${hostile}\n${'long '.repeat(20_000)}end` }, consent: { en: hostile }, permissions: [{ streamId: 'x', level: 'read', defaultName: hostile }] })
    const url = await linkOf({ ...content, requesterMeta: { displayName: hostile, appId: hostile } })
    const browser = await on(await requestAccess({ requestingAppId: 'app-hostile' }, { capabilityUrl: url }))
    const { status, html, text } = browser.page
    expect(status).toBe(200)
    expect(html).not.toContain('<script>alert')
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html).not.toContain('\u202e')
    expect(text).toContain('long end')
    expect(html).not.toContain(new URL(url).username)
    expect((await browser.submit({ ...accept, 'consent-1': 'agree' })).text).toContain('You gave one consent to another account.')
  })

  it.each([{ 'consent-1': 'maybe' }, { 'consent-2': 'agree' }, { 'consent-__proto__': 'agree' }, { 'consent-1': ['', 'agree'] }])(
    'refuses the answer %j',
    async (fields) => {
      const accessRequest = await requestAccess({ requestingAppId: 'app-forged' }, { capabilityUrl: await linkOf(offering()) })
      const browser = await on(accessRequest)
      expect((await browser.submit({ ...accept, ...fields })).status).toBe(400)
      expect(await outcomeOf(accessRequest)).toMatchObject({ status: 'NEED_SIGNIN' })
    },
  )

  it('grants the consent of the answering person, even if they act for another account', async () => {
    const mother = await newStage(node)
    await attach(node, { username: mother.username, token: mother.owner }, { username: 'alice', token: owner })
    const url = await linkOf(offering())
    const accessRequest = await requestAccess({ requestingAppId: 'app-acting', actAs: mother.username }, { capabilityUrl: url, mandatory: true })
    const browser = await on(accessRequest)
    expect(browser.page.path).toMatch(/^\/web\/act-for/)
    await browser.submit({ do: 'choose', for: mother.username })
    const { page } = browser
    expect(page.text).toContain('This is about the account alice.')
    const before = (await relationsOf(alice())).length
    await browser.submit({ ...accept, 'consent-1': 'agree' })
    expect(await outcomeOf(accessRequest)).toMatchObject({ status: 'ACCEPTED', username: mother.username, cmcInvites: [{ acceptedFor: 'self' }] })
    expect([(await relationsOf(alice())).length - before, (await relationsOf(mother)).length]).toEqual([1, 0])
    expect(await accessesOf(node, mother.username, mother.owner)).toContainEqual(expect.objectContaining({ name: 'app-acting' }))
  })
})
