/** Browser test of the pages of devices, with a second node in this process: pairing, conflicts, and removal. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { inBrowser, withBrowser } from '../support/browser.js'
import { inspect } from '../support/inspect.js'
import { isAt, signIn } from '../support/steps.js'

const USER = 'alice'
const LONG = 'Ein sehr langer Name '.repeat(12).trim()

inBrowser('the pages of devices', () => {
  const browser = withBrowser()
  let desk: TestNode
  let phone: TestNode
  let token: string
  let phoneToken: string
  beforeAll(async () => {
    desk = await startTestNode({ 'sync.name': 'desk' })
    phone = await startTestNode({ 'sync.name': 'phone with a rather long name, as people choose them' })
    token = await registerUser(desk, USER)
    phoneToken = await registerUser(phone, USER)
    await request(`${desk.url}${USER}/streams`, { token, body: { id: 'weight', name: LONG } })
  })
  afterAll(async () => {
    await desk.stop()
    await phone.stop()
  })

  /** Calls a method of the phone as its owner. */
  const onPhone = async (path: string, more: { method?: string; body?: object } = {}): Promise<Record<string, unknown>> =>
    (await request(`${phone.url}${USER}/${path}`, { token: phoneToken, ...more })).body

  it('pair two nodes without a reload, show conflicts, and remove the device', async () => {
    const page = await browser.open(`${desk.url}web/sign-in?to=%2Fdevices`)
    await signIn(page, USER)
    await isAt(page, '/web/devices')
    await page.getByText('This account is on this device only.').waitFor()
    await inspect(page, 'devices-empty')
    await page.getByRole('link', { name: 'Pair a device' }).click()
    await inspect(page, 'devices-pair')
    await page.getByRole('button', { name: 'Create a link' }).click()
    await isAt(page, '/web/devices/pairing')
    await inspect(page, 'devices-link')
    const link = (await page.locator('.pair-link').textContent())?.trim() ?? ''
    const { pairing } = await onPhone('devices/pairings/accept', { body: { link } })
    const { id, words } = pairing as { id: string; words: string[] }
    await page.getByRole('button', { name: 'The words are the same' }).waitFor()
    expect(await page.locator('.pair-words li').allTextContents()).toEqual(words)
    await inspect(page, 'devices-words')
    await page.getByRole('button', { name: 'The words are the same' }).click()
    await page.getByText('Confirm on the other device, too.').waitFor()
    await inspect(page, 'devices-confirmed')
    await onPhone(`devices/pairings/${id}/confirm`, { body: {} })
    await page.getByRole('link', { name: 'Show the device' }).waitFor()
    await inspect(page, 'devices-paired')
    await page.getByRole('link', { name: 'Show the device' }).click()
    await page.getByText('In sync', { exact: true }).waitFor()
    await inspect(page, 'devices-one')
    await conflict()
    await page.goto(`${desk.url}web/devices`)
    await page.getByRole('link', { name: 'Conflicting changes: 1' }).waitFor()
    await inspect(page, 'devices')
    await page.getByRole('link', { name: 'Conflicting changes: 1' }).click()
    await inspect(page, 'devices-conflicts')
    await page.getByRole('button', { name: 'Take this one' }).click()
    await page.getByText('No conflicting changes.').waitFor()
    await inspect(page, 'devices-conflicts-none')
    await page.goto(`${desk.url}web/devices`)
    await page.locator('#devices').getByRole('link', { name: /^phone/ }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await inspect(page, 'devices-paused')
    await page.getByRole('link', { name: 'Remove device' }).click()
    await inspect(page, 'devices-remove')
    await page.getByRole('button', { name: 'Remove device' }).click()
    await page.getByText('The device is removed.').waitFor()
  })

  /** Changes an event on both nodes while their exchange is paused. */
  async function conflict(): Promise<void> {
    const { event } = (await request(`${desk.url}${USER}/events`, { token, body: { streamIds: ['weight'], type: 'mass/kg', content: 70 } })).body
    const path = `events/${(event as { id: string }).id}`
    const until = async (isDone: () => Promise<boolean>): Promise<void> => {
      while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await until(async () => 'event' in (await onPhone(path)))
    const { devices } = await onPhone('devices')
    const [{ id } = { id: '' }] = devices as { id: string }[]
    await onPhone(`devices/${id}`, { method: 'PUT', body: { paused: true } })
    await onPhone(path, { method: 'PUT', body: { content: 71 } })
    await request(`${desk.url}${USER}/${path}`, { token, method: 'PUT', body: { content: 72 } })
    await onPhone(`devices/${id}`, { method: 'PUT', body: { paused: false } })
    await until(async () => ((await request(`${desk.url}${USER}/devices/conflicts`, { token })).body['conflicts'] as object[]).length > 0)
  }

  it('can be used without scripts', async () => {
    const page = await browser.open(`${desk.url}web/sign-in?to=%2Fdevices%2Fpair`, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await signIn(page, USER)
    await isAt(page, '/web/devices/pair')
    await page.getByRole('button', { name: 'Create a link' }).click()
    await page.getByRole('img', { name: 'QR code of the pairing link' }).waitFor()
    await page.getByRole('button', { name: 'Cancel pairing' }).click()
    await page.getByText('The pairing is cancelled.').waitFor()
  })
}, 120_000)
