/** Man pages, generated from the command values, the API methods, the table of settings and the failure catalogue. */
import type { Command } from '../command.js'
import { fullName } from '../command.js'
import { accountFormat } from './accountFormat.js'
import { operatorEntries } from './api/operatorEntries.js'
import { groupEntries, groupTerms, idsOn, overview, unservedTerms } from './api/entries.js'
import { groups as apiGroups, type Group } from '../../server/api/reference/groups.js'
import { backupFormat } from './backupFormat.js'
import { section, type Block } from './blocks.js'
import { argumentTerms, globalTerms, jsonWords, optionTerms, usageLine } from './help.js'
import { homeLayout } from './homeLayout.js'
import { nouns } from './nouns.js'
import { settingTerms } from './settingTerms.js'
import { environmentTerms, failureTerms, fileTerms, filterBlocks, outputTerms } from './topics.js'
import { exitCodes } from '../framework/exit.js'
import { roffPage, type Page } from './roff.js'

interface ManPage {
  /** File name: `coffer-users.1`. */
  file: string
  roff: string
}

/** Returns all man pages of a release; the same commands give the same bytes. */
export function manPages(all: readonly Command[], version: string): ManPage[] {
  const visible = all.filter((each) => each.hidden !== true)
  const groups = [...new Set(visible.filter((each) => each.path.length > 1).map((each) => each.path[0] ?? ''))].sort()
  const own = groups.map((noun) => groupPage(noun, visible))
  const formats = [accountPage(), backupPage(), homePage(), settingsPage()]
  const pages = [mainPage(visible, groups), ...own, ...formats, apiPage(), ...apiGroups.map(apiGroupPage), operatorPage(), failuresPage()]
  return pages.map((page) => ({ file: `${page.name}.${page.section}`, roff: roffPage(page, version) }))
}

const furtherPages = ['coffer-account(5)', 'coffer-backup(5)', 'coffer-config(5)', 'coffer-home(5)', 'coffer-api(7)', 'coffer-failures(7)']

function mainPage(visible: readonly Command[], groups: readonly string[]): Page {
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
          'Starts and administers a personal data node. It stores streams and events on this machine, serves them to ' +
          'applications, and keeps several nodes of one owner in sync.',
      },
      { heading: 'Commands' },
      ...visible.filter((each) => each.path.length === 1).flatMap(commandSection),
      ...section(
        'Command groups',
        groups.map((noun) => [fullName([noun]), `${nouns[noun] ?? ''}. See coffer-${noun}(1).`]),
      ),
      ...section('Global options', globalTerms()),
      ...section('Output', outputTerms),
      { heading: 'Filters' },
      ...filterBlocks,
      ...section('Environment', environmentTerms),
      ...section('Files', fileTerms),
      ...section('Exit status', exitCodes.map(({ code, meaning }) => [String(code), meaning])),
      { heading: 'See also' },
      { text: [...groups.map((noun) => `coffer-${noun}(1)`), ...furtherPages].join(', ') },
    ],
  }
}

function groupPage(noun: string, visible: readonly Command[]): Page {
  const within = visible.filter((each) => each.path.length > 1 && each.path[0] === noun)
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
      { text: 'coffer(1) for global options and exit codes, coffer-config(5), coffer-failures(7)' },
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
    ...examples.flatMap((each): Block[] => [{ text: `${capital(each.description)}:` }, { code: [each.type] }]),
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
    about: 'configuration of a coffer node',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A node reads config.toml in its folder when it starts. Dots in the names below separate tables: http.port ' +
          'is port in the table [http]. Flags override variables, variables override the file, and the file ' +
          'overrides the default. An unknown key is an error, which suggests the nearest name.',
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
    about: 'format of an exported account',
    blocks: [...accountFormat, { heading: 'See also' }, { text: 'coffer-users(1), coffer-backup(1), coffer(1)' }],
  }
}

function backupPage(): Page {
  return {
    name: 'coffer-backup',
    section: 5,
    about: 'format of a coffer backup',
    blocks: [...backupFormat, { heading: 'See also' }, { text: 'coffer-backup(1), coffer-account(5), coffer-home(5)' }],
  }
}

function homePage(): Page {
  return {
    name: 'coffer-home',
    section: 5,
    about: 'files in the folder of a coffer node',
    blocks: [...homeLayout, { heading: 'See also' }, { text: 'coffer(1), coffer-store(1), coffer-backup(5), coffer-config(5)' }],
  }
}

function apiPage(): Page {
  return {
    name: 'coffer-api',
    section: 7,
    about: 'the API of a coffer node',
    blocks: [
      ...overview,
      ...section('Methods', groupTerms()),
      { text: 'Methods that only the command line calls are in coffer-api-operator(7).' },
      { heading: 'Unsupported methods' },
      { text: 'They are routed, so that clients can tell them from unknown methods, and always return an error.' },
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
    blocks: [...groupEntries(group), { heading: 'See also' }, { text: 'coffer-api(7) for general information, coffer-failures(7)' }],
  }
}

function operatorPage(): Page {
  return {
    name: 'coffer-api-operator',
    section: 7,
    about: 'methods of a coffer node for its operator',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'Only the command line calls these methods, over the socket of a running node, with --node from another machine, or on a closed ' +
          'store. "coffer api" calls one by its id. Their parameters and results can change with a release.',
      },
      ...operatorEntries(),
      { heading: 'See also' },
      { text: 'coffer-api(7) for general information, coffer-failures(7)' },
    ],
  }
}

function failuresPage(): Page {
  return {
    name: 'coffer-failures',
    section: 7,
    about: 'errors of a coffer node',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A failed call returns an error with an id, a message and sometimes data. The API and coffer with --json ' +
          'use the same object. Compare ids in scripts; messages may change. The exit code is ' +
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
