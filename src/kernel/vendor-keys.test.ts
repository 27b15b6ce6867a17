import { describe, expect, it } from 'vitest';
import { hideAlways, redact } from './redact.ts';

/** Made up, in the published shape of each vendor; written apart from the table that is tested. */
const mixed = (length: number) => 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzC'.repeat(20).slice(0, length);
const lower = (length: number) => 'a7b3c9d2e8f4g6h1i5j0k'.repeat(20).slice(0, length);
const upper = (length: number) => 'A7B3C9D2E8F4G6H1I5J0K'.repeat(20).slice(0, length);
const hex = (length: number) => '0a1b2c3d4e5f6789'.repeat(40).slice(0, length);
const uuid = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';

const KEYS: readonly string[] = [
  ...['sk-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-ant-api03-', 'sk-ant-admin01-', 'sk-or-v1-'].map(
    (prefix) => prefix + mixed(48),
  ),
  ...[
    'gsk_',
    'xai-',
    'pplx-',
    'r8_',
    'hf_',
    'api_org_',
    'fw_',
    'esecret_',
    'apify_api_',
    'tvly-',
    'tvly-dev-',
  ].map((p) => p + mixed(36)),
  `nvapi-${mixed(64)}`,
  `csk-${lower(48)}`,
  `tgp_v1_${mixed(43)}`,
  `pcsk_${mixed(6)}_${mixed(60)}`,
  `lsv2_pt_${hex(32)}_${hex(10)}`,
  `sk-lf-${uuid}`,
  `wandb_v1_${mixed(70)}`,
  `fc-${hex(32)}`,
  `jina_${hex(32)}${mixed(28)}`,
  `e2b_${hex(40)}`,
  `crsr_${hex(64)}`,
  `AKIA${upper(16)}`,
  `ASIA${upper(16)}`,
  `ABSK${mixed(110)}==`,
  `AIza${mixed(35)}`,
  `GOCSPX-${mixed(28)}`,
  `ya29.${mixed(100)}`,
  `1//0${mixed(80)}`,
  `abc8Q~${mixed(33)}`,
  `${mixed(52)}JQQJ99${mixed(10)}`,
  `${lower(76).slice(0, 76)}AZDO${mixed(4)}`,
  ...['dop_v1_', 'doo_v1_', 'dor_v1_'].map((prefix) => prefix + hex(64)),
  `HRKU-${uuid}`,
  `fo1_${mixed(43)}`,
  `fm2_${mixed(100)}`,
  `vcp_${mixed(40)}`,
  `nfp_${mixed(40)}`,
  `rnd_${mixed(28)}`,
  `v1.0-${hex(24)}-${hex(146)}`,
  `LTAI${mixed(20)}`,
  `AKID${mixed(32)}`,
  `SCW${upper(17)}`,
  `sha256~${mixed(43)}`,
  `tskey-auth-${mixed(16)}-${mixed(32)}`,
  `tskey-api-${mixed(12)}CNTRL-${mixed(32)}`,
  `sbp_${hex(40)}`,
  `sb_secret_${mixed(31)}`,
  `napi_${lower(64)}`,
  `npg_${mixed(12)}`,
  `pscale_tkn_${mixed(43)}`,
  `pscale_pw_${mixed(43)}`,
  `mdb_sa_sk_${mixed(40)}`,
  `CCDB1_${mixed(22)}_${mixed(40)}`,
  `AVNS_${mixed(19)}`,
  `xau_${mixed(40)}`,
  `dapi${hex(32)}`,
  `dbtc_${mixed(44)}`,
  `pnu_${mixed(36)}`,
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => prefix + mixed(36)),
  `github_pat_${mixed(22)}_${mixed(59)}`,
  ...['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glsoat-', 'glft-', 'glimt-', 'glagent-', 'gloas-'].map(
    (p) => p + mixed(20),
  ),
  `GR1348941${mixed(20)}`,
  `ATATT3xFfGF0${mixed(180)}`,
  `ATBB${mixed(32)}`,
  `ATTA${hex(72)}`,
  `npm_${mixed(36)}`,
  `pypi-AgEIcHlwaS5vcmc${mixed(150)}`,
  `rubygems_${hex(48)}`,
  `cio${mixed(32)}`,
  `oy2${lower(43)}`,
  `CLOJARS_${lower(60)}`,
  `dckr_pat_${mixed(27)}`,
  `dckr_oat_${mixed(32)}`,
  `ddp_${mixed(36)}`,
  `AKCp${mixed(69)}`,
  `CCIPAT_${mixed(22)}_${hex(40)}`,
  `bkua_${hex(40)}`,
  `sgp_${hex(16)}_${hex(40)}`,
  `sqp_${hex(40)}`,
  `squ_${hex(40)}`,
  `${mixed(14)}.atlasv1.${mixed(67)}`,
  `pul-${hex(40)}`,
  `ico-${mixed(32)}`,
  `API-${upper(26)}`,
  `PMAK-${hex(24)}-${hex(34)}`,
  `rdme_${lower(70)}`,
  `hvs.${mixed(90)}`,
  `hvb.${mixed(140)}`,
  `dp.pt.${mixed(43)}`,
  `dp.st.prd.${mixed(43)}`,
  `ops_eyJ${mixed(250)}`,
  `AGE-SECRET-KEY-1${upper(58)}`,
  `ory_pat_${mixed(40)}`,
  ...['sk_live_', 'sk_test_', 'rk_live_', 'pk_live_', 'whsec_'].map((prefix) => prefix + mixed(32)),
  `sq0atp-${mixed(22)}`,
  `sq0csp-${mixed(43)}`,
  `EAAA${mixed(60)}`,
  `access_token$production$${lower(16)}$${hex(32)}`,
  `access-production-${uuid}`,
  `rzp_live_${mixed(14)}`,
  `FLWSECK-${hex(32)}-X`,
  `pdl_live_apikey_${lower(26)}_${mixed(22)}_Ab1`,
  `EZAK${mixed(54)}`,
  `shippo_live_${hex(40)}`,
  `live_${hex(35)}`,
  `duffel_live_${mixed(43)}`,
  ...['shpat_', 'shpca_', 'shppa_', 'shpss_'].map((prefix) => prefix + hex(32)),
  `xoxb-${'1234567890-'.repeat(2)}${mixed(24)}`,
  `xoxp-${'1234567890-'.repeat(3)}${hex(32)}`,
  `xoxe.xoxp-1-${mixed(160)}`,
  `xapp-1-A0${upper(9)}-1234567890123-${hex(64)}`,
  `MTIzNDU2Nzg5MDEyMzQ1Njc4.GhIjKl.${mixed(38)}`,
  `AC${hex(32)}`,
  `SK${hex(32)}`,
  `SG.${mixed(22)}.${mixed(43)}`,
  `key-${hex(32)}`,
  `${hex(32)}-us12`,
  `re_${mixed(8)}_${mixed(24)}`,
  `xkeysib-${hex(64)}-${mixed(16)}`,
  `sntrys_${mixed(120)}`,
  `sntryu_${hex(64)}`,
  `NRAK-${upper(27)}`,
  `${hex(36)}NRAL`,
  `glc_${mixed(100)}`,
  `glsa_${mixed(32)}_${hex(8)}`,
  `hcaik_${lower(58)}`,
  `dt0c01.${upper(24)}.${upper(64)}`,
  `xaat-${uuid}`,
  `phc_${mixed(43)}`,
  `phx_${mixed(43)}`,
  `sdk-${uuid}`,
  `rootly_${hex(64)}`,
  `secret_${mixed(43)}`,
  `ntn_${mixed(46)}`,
  `lin_api_${mixed(40)}`,
  `lin_oauth_${hex(64)}`,
  `pat${mixed(14)}.${hex(64)}`,
  `1/1234567890123456:${hex(32)}`,
  `pk_12345678_${upper(32)}`,
  `figd_${mixed(40)}`,
  `pat-na1-${uuid}`,
  `00D${mixed(12)}!${mixed(96)}`,
  `CFPAT-${mixed(43)}`,
  `tfp_${mixed(44)}_${mixed(14)}`,
  `n8n_api_${hex(40)}`,
  `signkey-prod-${hex(64)}`,
  `tr_prod_${mixed(20)}`,
  `sl.${mixed(140)}`,
  `sk.eyJ${mixed(80)}.${mixed(22)}`,
  `aio_${mixed(28)}`,
  `lip_${mixed(20)}`,
  `EAAG${mixed(120)}`,
  `eyJ${mixed(36)}.eyJ${mixed(60)}.${mixed(43)}`,
  `hft_${hex(16)}_${hex(64)}`,
  `bto_${mixed(43)}`,
  `brt_${mixed(43)}`,
  `btr_${mixed(43)}`,
];

describe('row 15: keys of vendors', () => {
  it('has as many as were found stored', () => expect(KEYS.length).toBeGreaterThanOrEqual(154));

  it.each(KEYS)('%s is removed, and what stands around it stays', (key) => {
    for (const around of [
      ['before ', ' after'],
      ['"', '"'],
      ['(', ')'],
      ['url?x=', '&y=1'],
      ['', '\n'],
    ] as const) {
      const [before, after] = around;
      const shown = redact(`${before}${key}${after}`);
      expect(shown).not.toContain(key);
      expect(shown.startsWith(before)).toBe(true);
    }
    expect(redact(`before ${key} after`)).toBe('before [REDACTED] after');
  });

  it.each([
    'key: the-name-of-a-column-in-a-table',
    'key=src/features/access/guard.test.ts',
    `commit ${hex(40)} is good`,
    `sha256:${hex(64)}`,
    `task ${uuid} is done`,
    'https://example.org/docs/a-long-title-about-some-thing-2026',
    'src/features/broker/compaction/rules.ts',
    'const registerMountsWithStreams = createRegistrarForStreams(options);',
    'live_view_of_the_board and test_pub_sub_channels',
    'pk_column_of_the_table, sk_button_class, key-value-pairs-for-everyone',
    'sl.no and s.trim().toLowerCase().split()',
    'the sdk-generator, api-gateway-configuration and mob-programming',
    '12345678-1234 re_export_everything_from_here',
  ])('%s is left as it is', (text) => expect(redact(text)).toBe(text));
});

describe('row 15: chance beside a name', () => {
  it.each([
    [`key: ${mixed(32)}`, 'key: [REDACTED]'],
    [`ssh_key="${mixed(40)}"`, 'ssh_key=[REDACTED]'],
    [`my_pat=${mixed(24)}`, 'my_pat=[REDACTED]'],
    [`ADMIN_PW=hunter2!`, 'ADMIN_PW=[REDACTED]'],
    [`GH_PAT=${hex(40)}`, 'GH_PAT=[REDACTED]'],
    [`credentials: ${mixed(40)}`, 'credentials: [REDACTED]'],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected));

  it.each([
    'key: users-by-name',
    'credentials: none',
    'http_auth: basic',
    'key=value',
    'cache key: page-2026-11-15-of-the-board',
  ])('%s is left as it is', (text) => expect(redact(text)).toBe(text));
});

describe('row 15: what the hub holds itself', () => {
  const own = hex(62) + 'ff';

  it('is hidden by value, though it looks like any digest', () => {
    expect(redact(`cat token\n${own}\n`)).toContain(own);
    hideAlways(own);
    expect(redact(`cat token\n${own}\n`)).toBe('cat token\n[REDACTED]\n');
    expect(redact(`${hex(62)}fe`)).toBe(`${hex(62)}fe`);
  });
});
