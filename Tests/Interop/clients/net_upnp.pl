#!/usr/bin/perl
# Net::UPnP as a control point: lines of standard input become calls, each answered by one line.
use strict;
use warnings;
use Net::UPnP::ControlPoint;
use Net::UPnP::AV::MediaRenderer;

$| = 1;
my ($renderer, $control);

sub find {
    my ($udn) = @_;
    my $type = $Net::UPnP::AV::MediaRenderer::DEVICE_TYPE;
    for my $device (Net::UPnP::ControlPoint->new()->search(st => $type, mx => 1)) {
        next unless $device->getdevicetype() eq $type && $device->getudn() eq $udn;
        $renderer = Net::UPnP::AV::MediaRenderer->new();
        $renderer->setdevice($device);
        $control = $device->getservicebyname('urn:schemas-upnp-org:service:RenderingControl:1');
        return $device->getfriendlyname();
    }
    die "nothing found\n";
}

# What the action answers; dies when it is refused.
sub done {
    my ($response) = @_;
    my $status = $response->getstatuscode();
    die "status $status\n" unless $status == 200;
    return $response->getargumentlist();
}

sub avtransport {
    my ($name, %arguments) = @_;
    my $service = $renderer->getdevice()->getservicebyname($Net::UPnP::AV::MediaRenderer::AVTRNSPORT_SERVICE_TYPE);
    return done($service->postaction($name, {InstanceID => 0, %arguments}));
}

my %calls = (
    find => \&find,
    cast => sub { done($renderer->setAVTransportURI(CurrentURI => $_[0])); '' },
    play => sub { done($renderer->play()); '' },
    stop => sub { done($renderer->stop()); '' },
    seek => sub { avtransport('Seek', Unit => 'REL_TIME', Target => $_[0]); '' },
    state => sub { avtransport('GetTransportInfo')->{CurrentTransportState} },
    volume => sub {
        done($control->postaction('SetVolume', {InstanceID => 0, Channel => 'Master', DesiredVolume => $_[0]}));
        done($control->postaction('GetVolume', {InstanceID => 0, Channel => 'Master'}))->{CurrentVolume};
    },
);

while (my $line = <STDIN>) {
    chomp $line;
    my ($name, $argument) = split / /, $line, 2;
    my $answer = eval { $calls{$name}->($argument) };
    my $error = $@;
    $error =~ s/\n/ /g;
    print $error ? "error $error\n" : "ok $answer\n";
}
