import { describe, expect, it } from "vitest";
import { checkExpression } from "./expression";
import { checkInterval, checkPeriod, intervalSeconds } from "./interval";
import { checkItemKey } from "./item-key";
import { checkMacroName } from "./macro";

const OK = { ok: true };

describe("trigger expressions", () => {
  it.each([
    "last(/web01/system.cpu.load[all,avg1])>5",
    'find(/web01/log[/var/log/syslog,,,100],10m,"regexp","err(or)?")=1',
    'avg(/web01/net.if.in[eth0],#5)*8 >= {$MAX:"eth0"} and not (last(//agent.ping)=0)',
    "min(/H/vfs.fs.size[{#FSNAME},pused],1h:now-1d)>90",
    "nodata(/H/key,{$PERIOD})=1 or max(/H/a.b-c_d,5m:now/h-1h)<>0",
    "{TRIGGER.VALUE}=0",
    'sum(last_foreach(/*/agent.ping?[group="Linux"]))>3',
    "-1.5e3K + 2 * (3 - -4) <= 10m",
    "now()-last(/H/t)>5m",
    "\n last(/H/k)\n =\n 1 ",
    'last(/H/key["a,b]\\"(",[1,2]])=0',
    "change(/H/k)=0 and trendavg(/H/k,1M:now/M-1y)>1",
  ])("%j is accepted", (expression) => {
    expect(checkExpression(expression)).toEqual(OK);
  });

  it.each([
    ["", 0, "required"],
    ["last(/H/k", 4, "not closed"],
    ["(last(/H/k)=1", 0, "not closed"],
    ["last(/H/k))=1", 10, "no opening bracket"],
    ['find(/H/k,,"like","x)=1', 18, "quote"],
    ["last(/H/k[a)=1", 9, "bracket"],
    ["last(/H/k)=", 11, "ends"],
    ["last(/H/k)=1 last(/H/k)", 13, "operator"],
    ["last(/H)", 5, "/host/key"],
    ["last(/H/)", 8, "key"],
    ["last /H/k", 5, "("],
    ["1 and and 1", 6, "missing"],
    ["{$MACRO", 0, "macro"],
    ["1 # 2", 2, "operator"],
    ["= 1", 0, "not expected"],
  ])("%j is wrong at %i", (expression, position, words) => {
    const check = checkExpression(expression);
    expect(check).toMatchObject({ ok: false, position });
    expect(check.ok ? "" : check.message).toContain(words);
  });

  it("gives up on bottomless nesting instead of overflowing", () => {
    expect(checkExpression("(".repeat(10_000))).toMatchObject({ ok: false });
  });
});

describe("item keys", () => {
  it.each([
    "agent.ping",
    "vfs.fs.size[/,pused]",
    'net.if.in["eth0"]',
    "key[a,,b]",
    "key[]",
    'key[ "quoted, \\" text" , plain]',
    "key[[a,b],c]",
    "vfs.fs.size[{#FSNAME},used]",
    'proc.num[{$NAME:"a,]b"}]',
    "zabbix[host,agent,available]",
  ])("%j is accepted", (key) => {
    expect(checkItemKey(key)).toEqual(OK);
  });

  it.each([
    ["", 0],
    [" key", 0],
    ["key name", 3],
    ["key[a", 3],
    ['key["a]', 4],
    ['key["a"b]', 7],
    ["key[a]b", 6],
    ["key[[[a]]]", 5],
    ["key(a)", 3],
  ])("%j is wrong at %i", (key, position) => {
    expect(checkItemKey(key)).toMatchObject({ ok: false, position });
  });
});

describe("update intervals", () => {
  it.each([
    "30s",
    "60",
    "1m;50s/1-5,09:00-18:00",
    "0;wd1-5h9",
    "{$INTERVAL}",
    "1m;{$WORK}/{$PERIOD}",
    "1h;md1,15h9-18/2m0,30",
    "30s;h/2;s/10",
    "0;m0-59",
  ])("%j is accepted", (interval) => {
    expect(checkInterval(interval)).toEqual(OK);
  });

  it.each([
    ["", 0],
    ["abc", 0],
    ["2d", 0],
    ["1m;", 3],
    ["1m;50s/8,09:00-18:00", 3],
    ["1m;xyz", 3],
    ["30s;10s/1-5,09:00-18:00;oops", 24],
  ])("%j is wrong at %i", (interval, position) => {
    expect(checkInterval(interval)).toMatchObject({ ok: false, position });
  });

  it("knows the length of simple ones", () => {
    expect(intervalSeconds("5m")).toBe(300);
    expect(intervalSeconds("{$X}")).toBeUndefined();
    expect(checkPeriod("31d")).toEqual(OK);
    expect(checkPeriod("1 day").ok).toBe(false);
  });
});

describe("macro names", () => {
  it("have capitals, and may have a context", () => {
    expect(checkMacroName("{$LOAD.MAX_1}")).toEqual(OK);
    expect(checkMacroName('{$LOAD:regex:"^a{2}$"}')).toEqual(OK);
    expect(checkMacroName("{$load}").ok).toBe(false);
    expect(checkMacroName("LOAD").ok).toBe(false);
    expect(checkMacroName("{$LOAD").ok).toBe(false);
  });
});
