/** Options about the format of CSV files; what is not given is detected. */
import { usageError } from '../../../framework/exit.js'
import { choice, text } from '../../../framework/option.js'
import type { Parameter } from '../../../framework/option.js'
import { encodingNamed, type Encoding } from '../textEncoding.js'
import { localZone, zoneNamed, type Zone } from '../timeZone.js'
import { dateFormatNamed, type DateFormat } from './dates.js'
import { delimiterNamed } from './delimiter.js'
import { decimalNamed, type Decimal } from './csvNumber.js'

const decimalOption: Parameter<Decimal | undefined> = {
  ...text('CSV: decimal sign of numbers, comma or point', { suggests: ['comma', 'point'] }),
  placeholder: 'sign',
  read: (words) => {
    const word = words?.[words.length - 1]
    return word === undefined ? undefined : decimalNamed(word)
  },
}

export const csvOptions = {
  delimiter: text('CSV: sign between cells; comma, semicolon, tab, pipe or another sign', { placeholder: 'sign', suggests: ['comma', 'semicolon', 'tab', 'pipe'] }),
  decimal: decimalOption,
  dateFormat: text("CSV: format of times; a pattern such as 'dd.MM.yyyy HH:mm', or iso, s, ms or excel", { placeholder: 'pattern', suggests: ['iso', 's', 'ms', 'excel', 'dd.MM.yyyy HH:mm', 'dd/MM/yyyy HH:mm', 'MM/dd/yyyy HH:mm'] }),
  timeUnit: choice(['s', 'ms'], 'CSV: unit of numeric times; the same as --date-format s or ms'),
  timezone: text('CSV: time zone of times without an offset, such as Europe/Zurich; defaults to that of this machine', { placeholder: 'zone' }),
  encoding: text('Character encoding: utf-8, utf-16le, utf-16be, windows-1252, …', { placeholder: 'name', suggests: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'macintosh'] }),
}

/** Values of these options as typed. */
export interface CsvOptions {
  delimiter?: string | undefined
  decimal?: Decimal | undefined
  dateFormat?: string | undefined
  timeUnit?: 's' | 'ms' | undefined
  timezone?: string | undefined
  encoding?: string | undefined
}

export interface CsvFormat {
  delimiter: string | undefined
  decimal: Decimal | undefined
  dates: DateFormat | undefined
  zone: Zone
  encoding: Encoding | undefined
}

/** Parses the options. @throws CommandError 2 for invalid values, or two formats of times */
export function csvFormatOf({ delimiter, decimal, dateFormat, timeUnit, timezone, encoding }: CsvOptions): CsvFormat {
  if (dateFormat !== undefined && timeUnit !== undefined) throw usageError('--date-format and --time-unit exclude each other')
  const dates = dateFormat ?? timeUnit
  return {
    delimiter: delimiter === undefined ? undefined : delimiterNamed(delimiter),
    decimal,
    dates: dates === undefined ? undefined : dateFormatNamed(dates),
    zone: timezone === undefined ? localZone() : zoneNamed(timezone),
    encoding: encoding === undefined ? undefined : encodingNamed(encoding),
  }
}

/** Paragraph of help about detection. */
export const CSV_HELP =
  "The format of CSV is detected from the first lines and shown: the delimiter (comma, semicolon, tab, pipe), the decimal sign, the encoding (UTF-8, UTF-16, Windows-1252) and the format of times (ISO 8601, dd.MM.yyyy HH:mm, dd/MM/yyyy, MM/dd/yyyy, seconds or milliseconds since 1970, Excel numbers). The options override it. Dates such as 03/04/2025 in all lines are ambiguous: name their format with --date-format. Patterns consist of yyyy, yy, MM, dd, HH, hh with a (AM, PM), mm, ss and SSS. Times without an offset are in --timezone; a time that occurs twice at the end of summer time means the first one."
