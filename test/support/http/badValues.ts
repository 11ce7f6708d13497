/** Values that every way to set an account field refuses. */

export const badEmails = [
  'notanemail', '@example.org', 'ana@', 'ana@@example.org', 'ana@exam ple.org', 'a na@example.org', 'ana@.', 'ana@example..org', 'ana@.org',
  'ana@example.', 'ana@-example.org', 'ana@example.org,bob@example.org', 'Ana <ana@example.org>', '-oQ/tmp@example.org', 'ana@example.org\nBcc: bob@x.org',
] as const

export const goodEmails = ['a@b', 'ana+tag@example.org', "o'neil.x_y@sub.exa-mple.co.uk", 'anä@exämple.org', 'ana@127.0.0.1'] as const

export const badLanguages = ['e', 'xxxx', '5', '55', 'eng', 'e-', 'en-', 'en_US', 'en-U', 'en US'] as const

export const goodLanguages = ['en', 'FR', 'pt-BR', 'de-ch'] as const

export const badAddresses = [
  '', 'nourl', 'example.org/hook', '//example.org/hook', '/hook', 'ftp://example.org/x', 'file:///etc/passwd', 'javascript:alert(1)', 'data:,x',
  'http:', 'http://', 'http:example.org', 'https:///hook', 'https://?x', 'http://exa mple.org/', 'https://example.org/a b', 'http://[::1', 'https://example.org:99999/',
  ' https://example.org/', 'https://example.org/\n', `https://example.org/${'x'.repeat(4096)}`,
] as const
