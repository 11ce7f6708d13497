/** The account that the settings show, as `account.get` returns it. */
import type * as z from 'zod'
import { get } from '../../../api/account/get.js'
import type { AccountView } from '../../../api/account/view.js'
import { readAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'

export type AccountOfPage = z.output<typeof AccountView>

/** Reads the shown account. */
export async function loadAccount(visit: ConsoleVisit): Promise<AccountOfPage> {
  const { account } = await readAsOwner(visit, visit.session, get, {})
  return account as AccountOfPage
}
