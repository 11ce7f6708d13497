/** Web pages for accounts of other cores. */
import { beforeAll, describe, expect, it } from 'vitest'
import { visitor, type Page, type Visitor } from '../../../support/people/visitor.js'
import { withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, type TestNode } from '../../../support/nodes/node.js'
import { testMailer } from '../../../support/services/mail.js'

const cores = withCores({ 'core-a': {}, 'core-b': {} }, { options: { mail: testMailer() } })
const a = (): TestNode => cores().node('core-a')
const b = (): TestNode => cores().node('core-b')

beforeAll(async () => {
  await makeAccount(a(), 'alice')
  await makeAccount(a(), 'anton')
  await makeAccount(b(), 'bobby')
})

/** Returns the address to which a page leads by itself. */
const target = ({ html }: Page): string | undefined => /http-equiv="refresh" content="0; url=([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')

async function submitted(path: string, fields: Record<string, string>): Promise<Visitor> {
  const browser = visitor(a())
  await browser.open(path)
  await browser.submit(fields)
  return browser
}

describe('the sign-in page', () => {
  it.each(['bobby', 'bobby@example.org'])('leads %s to the core of the account', async (name) => {
    const { page } = await submitted('/web/sign-in?to=%2Fsecond-factor%2Fset-up', { name, password: 'correct horse' })
    expect(page.text).toContain('another server of this service')
    expect(target(page)).toBe(`${b().url}web/sign-in?${new URLSearchParams({ to: '/second-factor/set-up', username: name }).toString()}`)
    const there = visitor(b())
    await there.open(target(page) ?? '')
    expect(there.page.html).toContain(`value="${name}"`)
    await there.submit({ name, password: 'correct horse' })
    expect(there.page.path).toContain('/web/second-factor')
  })

  it('does not know names that no core has', async () => {
    expect((await submitted('/web/sign-in', { name: 'nobody', password: 'x' })).page).toMatchObject({ status: 404, text: expect.stringContaining('wrong') })
  })

  it('says when it cannot find out', async () => {
    cores().platform.stopAnswering()
    try {
      expect((await submitted('/web/sign-in', { name: 'somebody', password: 'x' })).page.status).toBe(503)
      expect((await submitted('/web/sign-in', { name: 'alice', password: 'correct horse' })).page.path).toBe('/web/overview')
    } finally {
      cores().platform.stopAnswering(false)
    }
  })
})

describe('the page for lost passwords', () => {
  it.each(['bobby', 'bobby@example.org'])('leads %s to the core of the account', async (name) => {
    const { page } = await submitted('/web/reset-password', { name })
    expect(target(page)).toBe(`${b().url}web/reset-password?${new URLSearchParams({ username: name }).toString()}`)
  })

  it('answers alike for own and for unknown accounts', async () => {
    const pages = await Promise.all(['alice', 'nobody'].map(async (name) => (await submitted('/web/reset-password', { name })).page))
    expect(pages[0]?.text).toBe(pages[1]?.text)
    expect(pages.map(target)).toEqual([undefined, undefined])
  })
})

describe('the registration page', () => {
  it('leads to the core on which the account was created', async () => {
    const { page } = await submitted('/web/register', { username: 'carol', email: 'carol@example.org', password: 'correct horse', again: 'correct horse' })
    expect(cores().platform.holderOf({ field: 'username', value: 'carol' })?.core).toBe('core-b')
    expect(page.text).toContain('Your account was created')
    const there = visitor(b())
    await there.open(target(page) ?? '')
    await there.submit({ password: 'correct horse' })
    expect(there.page.path).toBe('/web/overview')
  })

  it('shows the failure of the other core at its field', async () => {
    const { page } = await submitted('/web/register', { username: 'dorothy', email: 'bobby@example.org', password: 'correct horse', again: 'correct horse' })
    expect(page.status).toBe(409)
    expect(page.html).toContain('value="dorothy"')
  })
})
