/** @jsxImportSource hono/jsx */
/** First page of the settings: sign-in, account, data, and what cannot be undone. */
import type { Child } from 'hono/jsx'
import { readEnrolment } from '../../../../store/accounts/credentials.js'
import { offeredMethods } from '../../../api/mfa/offer.js'
import { backupState } from '../../../maintenance/latestBackup.js'
import { linkTo } from '../../links.js'
import type { OwnVisit, Page } from '../../page.js'
import { sizeText } from '../../sizes.js'
import { distance } from '../../times.js'
import { languageNames } from '../../words.js'
import { hasOperatorKey, isOnAllowedMachine } from '../operatorRules.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { consoleWords } from '../words.js'
import { loadAccount, type AccountOfPage } from './account.js'
import { isDeletable } from './deletePage.js'
import { DELETE_PATH, EMAILS_PATH, EXPORT_PATH, LANGUAGE_PATH, NAME_PATH, PASSWORD_PATH, SESSIONS_PATH, SETTINGS } from './paths.js'
import { settingsStyle } from './style.js'
import { settingsWords } from './words.js'

export const settingsPage: Page = consolePage({
  path: SETTINGS,
  section: 'settings',
  async show(visit) {
    const account = await loadAccount(visit)
    const isActing = visit.session.user.username !== visit.person.user.username
    const { acting, operatorText, toOperator, groups } = settingsWords[visit.language]
    const body = (
      <>
        {isActing ? <p class="soft">{acting}</p> : null}
        <div class="settings">
          {isActing ? null : <SignIn visit={visit} />}
          <AccountGroup visit={visit} account={account} />
          {isActing ? null : <DataGroup visit={visit} account={account} backup={await backupText(visit)} />}
          {isActing || !hasOperatorKey(visit) || !isOnAllowedMachine(visit) ? null : (
            <Group title={groups.operator}>
              <Item visit={visit} path="/operator" title={toOperator} text={operatorText} />
            </Group>
          )}
          {isActing ? null : <DangerGroup visit={visit} />}
        </div>
      </>
    )
    return { title: consoleWords[visit.language].sections.settings, body, assets: [settingsStyle] }
  },
})

function Group({ title, isDangerous = false, children }: { title: string; isDangerous?: boolean; children?: Child }) {
  return (
    <section class={isDangerous ? 'card danger' : 'card'}>
      <h2>{title}</h2>
      <ul class="rows">{children}</ul>
    </section>
  )
}

function Item({ visit, path, title, text }: { visit: OwnVisit; path: string; title: string; text: string }) {
  return (
    <li>
      <a href={linkTo(visit, path)}>
        <span>{title}</span>
        <span class="small soft" dir="auto">
          {text}
        </span>
      </a>
    </li>
  )
}

function SignIn({ visit }: { visit: ConsoleVisit }) {
  const words = settingsWords[visit.language]
  return (
    <Group title={words.groups.signIn}>
      <Item visit={visit} path={PASSWORD_PATH} title={words.password.link} text={words.password.about} />
      <Item visit={visit} path="/second-factor/set-up" title={words.factor.title} text={factorText(visit)} />
      <Item visit={visit} path={SESSIONS_PATH} title={words.sessions.title} text={words.sessions.about} />
    </Group>
  )
}

function factorText({ node, person, language }: ConsoleVisit): string {
  const words = settingsWords[language].factor
  const enrolment = readEnrolment(node.store.db, person.account.prefix)
  if (enrolment !== undefined) return enrolment.method === 'totp' ? words.onApp : words.onPhone
  return offeredMethods(node.config).length === 0 ? words.notOffered : words.off
}

function AccountGroup({ visit, account }: { visit: ConsoleVisit; account: AccountOfPage }) {
  const words = settingsWords[visit.language]
  const { username, email, emails, language } = account
  const pending = emails.filter(({ status }) => status === 'pending').length
  const emailText = email === null ? words.emails.none : pending === 0 ? email : `${email} · ${words.emails.pendingCount(pending)}`
  return (
    <Group title={words.groups.account}>
      <Item visit={visit} path={NAME_PATH} title={words.name.link} text={username} />
      <Item visit={visit} path={EMAILS_PATH} title={words.emails.title} text={emailText} />
      <Item visit={visit} path={LANGUAGE_PATH} title={words.language.title} text={Object.entries(languageNames).find(([code]) => code === language)?.[1] ?? language} />
    </Group>
  )
}

function DataGroup({ visit, account, backup }: { visit: ConsoleVisit; account: AccountOfPage; backup: string }) {
  const words = settingsWords[visit.language]
  const { dbDocuments, attachedFiles } = account.storageUsed
  return (
    <section class="card">
      <h2>{words.groups.data}</h2>
      <ul class="rows">
        <Item visit={visit} path={EXPORT_PATH} title={words.export.title} text={words.export.about} />
      </ul>
      <dl class="facts">
        <dt>{words.storage}</dt>
        <dd>{words.storageText(sizeText(dbDocuments, visit.language), sizeText(attachedFiles, visit.language))}</dd>
        <dt>{words.backup.title}</dt>
        <dd>{backup}</dd>
      </dl>
    </section>
  )
}

/** Returns the age of the latest backup of the node, as far as the node knows of backups. */
async function backupText({ node, language }: ConsoleVisit): Promise<string> {
  const words = settingsWords[language].backup
  const { isConfigured, latest, isLate } = await backupState(node)
  if (!isConfigured) return words.unknown
  if (latest === undefined) return words.none
  const text = words.latest(distance(latest, node.clock.now(), language))
  return isLate ? `${text} ${words.late}` : text
}

function DangerGroup({ visit }: { visit: ConsoleVisit }) {
  const words = settingsWords[visit.language]
  return (
    <Group title={words.groups.danger} isDangerous>
      <Item visit={visit} path={DELETE_PATH} title={words.delete.title} text={isDeletable(visit) ? words.delete.about : words.delete.byOperator} />
    </Group>
  )
}
