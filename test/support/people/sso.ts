/** Nodes with login through third parties, and accounts with verified or unverified addresses. */
import { presentUser, replaceUser } from '../../../src/server/api/shared/updateUser.js'
import { withEmails } from '../../../src/store/accounts/emails.js'
import { initialEntry, type EmailEntry } from '../../../src/store/model/emails.js'
import { makeAccount, type TestNode } from '../nodes/node.js'
import type { ThirdParty } from '../services/oidc.js'

/** Returns the settings of a third party, twice. */
export function ssoOf({ issuer, clientId, clientSecret }: ThirdParty): Record<string, unknown> {
  const provider = { issuer, clientId, clientSecret }
  return { 'sso.enabled': true, 'sso.providers': { fake: { ...provider, label: 'Fake & Co' }, other: provider } }
}

let made = 0

/** Creates an account whose address was verified in some way: by a link in a mail by default. */
export async function accountWith(
  node: TestNode,
  entry: Partial<EmailEntry> = { verificationMethod: 'email-link' },
): Promise<{ username: string; email: string; owner: string }> {
  made += 1
  const username = `person-${made}`
  const owner = await makeAccount(node, username)
  const email = `${username}@example.org`
  const loaded = await node.node.accounts.find(username)
  await loaded?.account.exclusively((write) => {
    const user = presentUser(loaded.account)
    return replaceUser(node.node, write, user, withEmails(user, [{ ...initialEntry(email), ...entry }]), () => undefined)
  })
  return { username, email, owner }
}

/** Settings with a third party that is never called. */
export const ssoOn = {
  'sso.enabled': true,
  'sso.providers': { example: { issuer: 'https://id.example.org', clientId: 'node', clientSecret: 'secret' } },
}
