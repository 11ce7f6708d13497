/** Manual pages, written from the command values, the methods of the API, the table of settings and the failure catalogue. */
import type { Command } from '../command.js'
import { fullName } from '../command.js'
import { accountFormat } from './accountFormat.js'
import { groupEntries, groupTerms, idsOn, overview, unservedTerms } from './api/entries.js'
import { groups as apiGroups, type Group } from '../../server/apiReference/groups.js'
import { backupFormat } from './backupFormat.js'
import type { Block } from './blocks.js'
import { argumentTerms, globalTerms, jsonWords, optionTerms, usageLine } from './help.js'
import { homeLayout } from './homeLayout.js'
import { nouns } from './nouns.js'
import { settingTerms } from './settingTerms.js'
import { environmentTerms, failureTerms, fileTerms } from './topics.js'
import { exitCodes } from '../framework/exit.js'
import { roffPage, type Page } from './roff.js'

export interface ManPage {
  /** `coffer-config.5`. */
  file: string
  roff: string
}

/** All pages of a release; the same commands give the same bytes. */
export function manPages(all: readonly Command[], version: string): ManPage[] {
  const displayed = all.filter((each) => each.hidden !== true)
  const groups = [...new Set(displayed.filter((each) => each.path.length > 1).map((each) => each.path[0] ?? ''))].sort()
  const own = groups.map((noun) => groupPage(noun, displayed))
  const formats = [accountPage(), backupPage(), homePage(), settingsPage()]
  const pages = [mainPage(displayed, groups), ...own, ...formats, apiPage(), ...apiGroups.map(apiGroupPage), failuresPage()]
  return pages.map((page) => ({ file: `${page.name}.${page.section}`, roff: roffPage(page, version) }))
}

const furtherPages = ['coffer-account(5)', 'coffer-backup(5)', 'coffer-config(5)', 'coffer-home(5)', 'coffer-api(7)', 'coffer-failures(7)']

function mainPage(displayed: readonly Command[], groups: readonly string[]): Page {
  return {
    name: 'coffer',
    section: 1,
    about: 'a home for your data, on your own machine',
    blocks: [
      { heading: 'Synopsis' },
      { code: ['coffer <command> [options]'] },
      { heading: 'Description' },
      {
        text:
          'Starts and administers a personal data node: it keeps streams and events on this machine, serves them to ' +
          'applications, and keeps several nodes of one owner in sync.',
      },
      { heading: 'Commands' },
      ...displayed.filter((each) => each.path.length === 1).flatMap(commandSection),
      ...section(
        'Groups of commands',
        groups.map((noun) => [fullName([noun]), `${nouns[noun] ?? ''}. See coffer-${noun}(1).`]),
      ),
      ...section('Options of every command', globalTerms()),
      ...section('Environment', environmentTerms),
      ...section('Files', fileTerms),
      ...section('Exit status', exitCodes.map(({ code, meaning }) => [String(code), meaning])),
      { heading: 'See also' },
      { text: [...groups.map((noun) => `coffer-${noun}(1)`), ...furtherPages].join(', ') },
    ],
  }
}

function groupPage(noun: string, displayed: readonly Command[]): Page {
  const within = displayed.filter((each) => each.path.length > 1 && each.path[0] === noun)
  const about = nouns[noun] ?? ''
  return {
    name: `coffer-${noun}`,
    section: 1,
    about: `${about.charAt(0).toLowerCase()}${about.slice(1)}`,
    blocks: [
      { heading: 'Synopsis' },
      { code: within.map(usageLine) },
      { heading: 'Commands' },
      ...within.flatMap(commandSection),
      { heading: 'See also' },
      { text: 'coffer(1) for the options of every command and the exit codes, coffer-config(5), coffer-failures(7)' },
    ],
  }
}

function commandSection(command: Command): Block[] {
  const { path, summary, description, examples = [], offline } = command
  const json = jsonWords(command)
  const terms = [...argumentTerms(command.arguments), ...optionTerms(command.options)]
  const words = (description ?? '').split(/\n\s*\n/).filter((each) => each !== '')
  return [
    { heading: fullName(path), sub: true },
    { text: `${summary}.${offline ? '' : ' Needs a running node.'}` },
    { code: [usageLine(command)] },
    ...words.map((text) => ({ text })),
    ...(terms.length === 0 ? [] : [{ terms }]),
    ...(json === undefined ? [] : [{ text: `With --json: ${json}` }]),
    ...examples.flatMap((each): Block[] => [{ text: `${capital(each.says)}:` }, { code: [each.type] }]),
  ]
}

const exampleFile = [
  '[http]',
  'port = 8080',
  'trustedProxies = ["loopback", "10.0.0.2"]',
  '',
  '[dnsLess]',
  'publicUrl = "https://ana.example.org/"',
]

function settingsPage(): Page {
  return {
    name: 'coffer-config',
    section: 5,
    about: 'the settings of a coffer node',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A node reads config.toml in its folder when it starts. Dots in the names below part tables: http.port ' +
          'stands as port in the table [http]. A flag wins over a variable, a variable over the file, and the file ' +
          'over the default. A key that is no setting is an error, which names the nearest one.',
      },
      { heading: 'Settings' },
      { terms: settingTerms() },
      { heading: 'Example' },
      { code: exampleFile },
      { heading: 'See also' },
      { text: 'coffer-config(1), coffer(1)' },
    ],
  }
}

function accountPage(): Page {
  return {
    name: 'coffer-account',
    section: 5,
    about: 'an account in a folder, as coffer users export writes it',
    blocks: [...accountFormat, { heading: 'See also' }, { text: 'coffer-users(1), coffer-backup(1), coffer(1)' }],
  }
}

function backupPage(): Page {
  return {
    name: 'coffer-backup',
    section: 5,
    about: 'a backup of a coffer node, as coffer backup create writes it',
    blocks: [...backupFormat, { heading: 'See also' }, { text: 'coffer-backup(1), coffer-account(5), coffer-home(5)' }],
  }
}

function homePage(): Page {
  return {
    name: 'coffer-home',
    section: 5,
    about: 'the folder of a coffer node',
    blocks: [...homeLayout, { heading: 'See also' }, { text: 'coffer(1), coffer-store(1), coffer-backup(5), coffer-config(5)' }],
  }
}

function apiPage(): Page {
  return {
    name: 'coffer-api',
    section: 7,
    about: 'the interface of a coffer node: how its methods are called',
    blocks: [
      ...overview,
      ...section('Methods', groupTerms()),
      { heading: 'Methods that are not served' },
      { text: 'They are routed, so that a client can tell them from a mistake, and answer a refusal.' },
      { terms: unservedTerms() },
      { heading: 'See also' },
      { text: 'coffer(1), coffer-failures(7)' },
    ],
  }
}

function apiGroupPage(group: Group): Page {
  return {
    name: `coffer-api-${group.name}`,
    also: idsOn(group),
    section: 7,
    about: `methods of a coffer node: ${group.about}`,
    blocks: [...groupEntries(group), { heading: 'See also' }, { text: 'coffer-api(7) for what holds for all methods, coffer-failures(7)' }],
  }
}

function failuresPage(): Page {
  return {
    name: 'coffer-failures',
    section: 7,
    about: 'every way a call to a coffer node can be refused',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A refused call answers an error with an id, a message and, for some, data. The API and coffer with --json ' +
          'give the same object. Scripts compare the id; messages may be worded better one day. The exit code is ' +
          'that of the command that made the call.',
      },
      { heading: 'Failures' },
      { terms: failureTerms() },
      { heading: 'See also' },
      { text: 'coffer(1), coffer-api(7)' },
    ],
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function section(heading: string, terms: ReadonlyArray<readonly [string, string]>): Block[] {
  return terms.length === 0 ? [] : [{ heading }, { terms }]
}
