// Links to what is on the screen: they show the same to all users who may see it. One follows the clock as the page
// does, the other one keeps the time that is shown now.

import { ActionIcon, Button, Popover, TextInput } from "@mantine/core";
import { IconShare2 } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { t } from "@/lib/i18n";
import { nowSeconds, resolveRange, type TimeRange, toRange } from "@/lib/time";
import { notifyDone } from "@/ui/notify";
import classes from "./graph.module.css";

/** The address with a range of fixed times in place of one that follows the clock. */
export function linkAt(href: string, range: TimeRange, now: number): string {
  const url = new URL(href);
  const { from, to } = resolveRange(range, now);
  const fixed = toRange(from, to);
  url.searchParams.set("from", fixed.from);
  url.searchParams.set("to", fixed.to);
  return url.href;
}

/** The address with the range in it, also where it is the page's usual one. */
export function linkWith(href: string, range: TimeRange): string {
  const url = new URL(href);
  url.searchParams.set("from", range.from);
  url.searchParams.set("to", range.to);
  return url.href;
}

export function ShareButton({ range }: { readonly range: TimeRange }) {
  const [opened, setOpened] = useState(false);
  const { live } = resolveRange(range, nowSeconds());
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={420} shadow="md">
      <Popover.Target>
        <ActionIcon
          variant="default"
          aria-label={t("Share")}
          title={t("Share")}
          onClick={() => setOpened(!opened)}
        >
          <IconShare2 size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("Share")}>
        {opened ? (
          <div className={classes["share"]}>
            {live ? (
              <ShareLink
                label={t("Link with relative time")}
                href={linkWith(location.href, range)}
              />
            ) : null}
            <ShareLink
              label={t("Link with fixed time")}
              href={linkAt(location.href, range, nowSeconds())}
            />
          </div>
        ) : null}
      </Popover.Dropdown>
    </Popover>
  );
}

function ShareLink({ label, href }: { readonly label: string; readonly href: string }) {
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    input.current?.select();
    // without TLS the browser keeps its clipboard to itself: the link stands selected
    if (navigator.clipboard === undefined) return;
    await navigator.clipboard.writeText(href);
    notifyDone(t("Link copied"));
  };
  return (
    <div className={classes["shareLink"]}>
      <TextInput
        ref={input}
        label={label}
        value={href}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button variant="default" onClick={() => void copy()}>
        {t("Copy")}
      </Button>
    </div>
  );
}
