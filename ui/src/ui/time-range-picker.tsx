import { ActionIcon, Button, Popover, Tooltip } from "@mantine/core";
import {
  IconCalendar,
  IconChevronLeft,
  IconChevronRight,
  IconPlayerPlay,
  IconZoomOut,
} from "@tabler/icons-react";
import { useState } from "react";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import {
  formatDateTime,
  nowSeconds,
  parseTime,
  RANGE_PRESETS,
  resolveRange,
  shiftRange,
  type TimeRange,
  widenRange,
  zoneName,
} from "@/lib/time";
import { CheckedInput } from "./checked-input";
import { Row } from "./form";
import classes from "./time-range-picker.module.css";
import { timesIn, ZoneName } from "./zone-name";

export interface TimeRangePickerProps {
  readonly range: TimeRange;
  readonly onChange: (range: TimeRange) => void;
}

function isTime(text: string) {
  return parseTime(text, nowSeconds()) === undefined
    ? bad(t("enter a time such as now-1h or 2026-01-31 08:00"), 0)
    : OK;
}

export function TimeRangePicker({ range, onChange }: TimeRangePickerProps) {
  const resolved = resolveRange(range, nowSeconds());
  const preset = RANGE_PRESETS.find(
    (it) => it.range.from === range.from && it.range.to === range.to,
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
    <div className={classes["picker"]} role="group" aria-label={t("Time range")}>
      <Tooltip label={t("Earlier")}>
        <ActionIcon
          aria-label={t("Earlier")}
          onClick={() => onChange(shiftRange(resolved, -1))}
          variant="default"
        >
          <IconChevronLeft size={15} />
        </ActionIcon>
      </Tooltip>
      <div className={classes["presets"]}>
        {RANGE_PRESETS.map((it) => (
          <button
            key={it.name}
            type="button"
            aria-pressed={it === preset}
            onClick={() => onChange(it.range)}
          >
            {it.name}
          </button>
        ))}
      </div>
      <CustomRange range={range} shown={preset === undefined} onChange={onChange} />
      <Tooltip label={t("Later")}>
        <ActionIcon
          aria-label={t("Later")}
          disabled={resolved.live}
          onClick={() => onChange(shiftRange(resolved, 1))}
          variant="default"
        >
          <IconChevronRight size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t("Zoom out")}>
        <ActionIcon
          aria-label={t("Zoom out")}
          onClick={() => onChange(widenRange(resolved, nowSeconds()))}
          variant="default"
        >
          <IconZoomOut size={15} />
        </ActionIcon>
      </Tooltip>
      <ZoneName />
      {resolved.live ? (
        <span className={classes["live"]}>{t("live")}</span>
      ) : (
        <Tooltip label={t("Follow new values")}>
          <ActionIcon
            aria-label={t("Follow new values")}
            onClick={() => onChange({ from: "now-1h", to: "now" })}
            variant="default"
          >
            <IconPlayerPlay size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}

interface CustomRangeProps extends TimeRangePickerProps {
  readonly shown: boolean;
}

function CustomRange({ range, shown, onChange }: CustomRangeProps) {
  const [opened, setOpened] = useState(false);
  const [draft, setDraft] = useState(range);
  const valid = isTime(draft.from).ok && isTime(draft.to).ok;
  const resolved = resolveRange(range, nowSeconds());
  const shortly = (seconds: number) => formatDateTime(seconds).slice(5, 16);
  const times = shown ? `${shortly(resolved.from)} – ${shortly(resolved.to)}` : null;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={340} shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          size="compact-xs"
          h={26}
          leftSection={<IconCalendar size={14} />}
          aria-label={
            times === null ? t("Custom time range") : t("Custom time range: {times}", { times })
          }
          onClick={() => {
            setDraft(range);
            setOpened(!opened);
          }}
        >
          {times}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!valid) return;
            onChange(draft);
            setOpened(false);
          }}
        >
          <Row>
            <CheckedInput
              label={t("From")}
              value={draft.from}
              check={isTime}
              onChange={(from) => setDraft({ ...draft, from })}
            />
            <CheckedInput
              label={t("To")}
              value={draft.to}
              check={isTime}
              onChange={(to) => setDraft({ ...draft, to })}
            />
          </Row>
          <p className={classes["zone"]}>{timesIn(zoneName())}</p>
          <Button type="submit" mt={8} fullWidth disabled={!valid}>
            {t("Apply")}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
